import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { DamagedData, RECOVERY } from './errors';

const PROGRAM = 'decks local cloud';
/** The format of everything in a data folder. A start refuses a folder of another format. */
const FORMAT = 2;
const SUM_CHARACTERS = 64;

/**
 * Reads a header: a line of JSON and a line with its SHA-256. Returns `undefined` when the file does not exist. Throws
 * DamagedData when a byte has changed, or when another program or another version wrote the file.
 */
export function readHeader<Content>(file: string): Content | undefined {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const [line = '', sum = ''] = text.split('\n');
  if (sum !== sumOf(line) || text.length !== line.length + SUM_CHARACTERS + 2) {
    throw new DamagedData(`The file ${file} is damaged: its checksum does not match. ${RECOVERY}`);
  }
  const { program, format, ...content } = JSON.parse(line) as { program: string; format: number };
  if (program !== PROGRAM) throw new DamagedData(`The file ${file} was written by another program (${program}).`);
  if (format !== FORMAT) {
    const remedy = 'Delete the folder, or name another one with --data.';
    throw new DamagedData(`The data folder ${dirname(file)} has format ${format}, not ${FORMAT}. ${remedy}`);
  }
  return content as Content;
}

/** Writes a header. After a crash or an error the file has its old content or the new content. */
export function writeHeader(file: string, content: object): void {
  const line = JSON.stringify({ program: PROGRAM, format: FORMAT, ...content });
  const draft = `${file}.draft`;
  const handle = openSync(draft, 'w', 0o600);
  try {
    writeSync(handle, `${line}\n${sumOf(line)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
  syncFolder(dirname(file));
}

/** Makes the entries of a folder durable. Windows cannot sync folders and does not need it. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const sumOf = (line: string) => createHash('sha256').update(line).digest('hex');
