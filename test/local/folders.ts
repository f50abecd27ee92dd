import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A new folder that is deleted at the end of the test file. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'local-test-'));
  folders.push(folder);
  return folder;
}
