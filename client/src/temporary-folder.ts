import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder that is deleted by `close`, or else at the end of the process, such as after Ctrl-C. */
export function temporaryFolder(prefix: string): { folder: string; close: () => Promise<void> } {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), prefix));
  const leave = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', leave);
  const close = async () => {
    await rm(folder, { recursive: true, force: true });
    process.off('exit', leave);
  };
  return { folder, close };
}
