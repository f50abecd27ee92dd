import { join } from 'node:path';
import { DamagedData } from '../data/errors';
import { readHeader, writeHeader } from '../data/header';

/** When each scheduled function ran last, by its name, in milliseconds since 1970. */
type Times = Record<string, number>;

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
    const remedy = 'Delete this file: then each scheduled function runs at the next start.';
    throw new DamagedData(`The file ${fileIn(dataDir)} is damaged: its checksum does not match. ${remedy}`);
  }
}

/** Writes the times. They are on disk when this returns; after a crash the file has its old or its new content. */
export function writeLastRuns(dataDir: string, lastRuns: Times): void {
  writeHeader(fileIn(dataDir), { store: 'schedules', lastRuns });
}
