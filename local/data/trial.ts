import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { projectRoot } from '../project';
import { dataFileIn, makeLockTable } from './data-file';

/** What try-files.mjs prints. A folder without `records` or `problem` after it ended the process. */
type Step = { folder: string } | { records: number } | { problem: string };

export interface TrialReport {
  /** The number of records of each folder whose file is intact. */
  records: Map<string, number>;
  /** One sentence for each folder whose file is damaged. */
  damage: Map<string, string>;
}

const PROGRAM = join(projectRoot, 'local', 'data', 'try-files.mjs');

/**
 * Opens the data file of each folder in another process, which may crash, and reads every record. The caller has the
 * lock of the folder. Throws DiskError when the disk is full.
 */
export async function tryFiles(folders: readonly string[]): Promise<TrialReport> {
  const report: TrialReport = { records: new Map(), damage: new Map() };
  for (const folder of folders) makeLockTable(folder);
  let left = [...folders];
  // Each round ends with a crash or with the last folder.
  while (left.length > 0) left = await tryUntilCrash(left, report);
  return report;
}

/** Returns the folders after the one that ended the process. */
async function tryUntilCrash(folders: string[], report: TrialReport): Promise<string[]> {
  const child = spawn(process.execPath, [PROGRAM, ...folders], { stdio: ['ignore', 'pipe', 'ignore'] });
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  let open: string | undefined;
  let begun = 0;
  for await (const line of createInterface(child.stdout)) {
    const step = JSON.parse(line) as Step;
    if ('folder' in step) {
      open = step.folder;
      begun++;
    } else if (open !== undefined) {
      if ('records' in step) report.records.set(open, step.records);
      else report.damage.set(open, damaged(open, step.problem));
      open = undefined;
    }
  }
  const [code, signal] = await closed;
  if (open !== undefined)
    report.damage.set(open, damaged(open, `the process that reads it ends with ${signal ?? code}`));
  else if (begun < folders.length)
    throw new Error(`The data files could not be read: ${PROGRAM} ended with ${signal ?? code}.`);
  return folders.slice(begun);
}

const damaged = (folder: string, problem: string) => `The data file ${dataFileIn(folder)} cannot be used: ${problem}.`;
