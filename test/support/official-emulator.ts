import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { projectRoot } from '../../local/project';

/** firebase-tools: the file that FIREBASE_TOOLS names, or `firebase` in the project or on the PATH. */
export const firebaseTools = [
  ...(process.env.FIREBASE_TOOLS ? [process.env.FIREBASE_TOOLS] : []),
  ...[join(projectRoot, 'node_modules', '.bin'), ...(process.env.PATH ?? '').split(delimiter)].map((folder) =>
    join(folder, 'firebase'),
  ),
].find((file) => existsSync(file));

/** Runs the test where firebase-tools is installed. Elsewhere the test's name says why it is skipped. */
export function officialTest(name: string, body: () => Promise<void>, timeoutMs: number): void {
  if (firebaseTools) test(name, body, timeoutMs);
  else test.skip(`${name} (firebase-tools was not found; FIREBASE_TOOLS may name its executable)`, body);
}

/** Loads a module of firebase-tools, or of its dependencies. */
export function requireOfficial(module: string): unknown {
  return createRequire(realpathSync(firebaseTools!))(module);
}
