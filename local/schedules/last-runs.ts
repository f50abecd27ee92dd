import { join } from 'node:path';
import { DamagedData, RECOVERY } from '../data/errors';
import { readHeader, writeHeader } from '../data/header';

/** When each scheduled function ran last, by its name, in milliseconds since 1970. */
export type Times = Record<string, number>;

/** A part of the message of a header whose bytes have changed. */
const CHECKSUM = 'its checksum does not match';

const fileIn = (dataDir: string) => join(dataDir, 'schedules');

/**
 * Reads when the functions of a data folder ran last. Empty for a folder in which no function has run. Throws
 * DamagedData for a damaged file.
 */
export function readLastRuns(dataDir: string): Times {
  try {
    return readHeader<{ lastRuns: Times }>(fileIn(dataDir))?.lastRuns ?? {};
  } catch (error) {
    if (!(error instanceof DamagedData)) throw error;
    // The file of another program or of a newer version is not damaged.
    if (!error.message.includes(CHECKSUM)) throw error;
    const remedy = 'Delete this file: then each scheduled function runs at the next start.';
    throw new DamagedData(`${error.message.replace(` ${RECOVERY}`, '')} ${remedy}`, { cause: error });
  }
}

/** Writes the times. They are on disk when this returns; after a crash the file has its old or its new content. */
export function writeLastRuns(dataDir: string, lastRuns: Times): void {
  writeHeader(fileIn(dataDir), { store: 'schedules', lastRuns });
}
