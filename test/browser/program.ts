import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { executablePath } from './browser';

/** Chromium as a program in the folder. Containers run tests as root, for whom Chromium needs the option. */
export async function browserIn(folder: string): Promise<string> {
  const program = join(folder, 'browser');
  await writeFile(program, `#!/bin/sh\nexec '${executablePath}' --no-sandbox "$@"\n`);
  await chmod(program, 0o755);
  return program;
}
