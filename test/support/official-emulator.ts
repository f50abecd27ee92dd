import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { findFirebaseTools } from '../../emulators/installed';

export const firebaseTools = findFirebaseTools();

/** Runs the test where firebase-tools is installed. Elsewhere the test's name says why it is skipped. */
export function officialTest(name: string, body: () => Promise<void>, timeoutMs: number): void {
  if (firebaseTools) test(name, body, timeoutMs);
  else test.skip(`${name} (firebase-tools was not found; FIREBASE_TOOLS may name its executable)`, body);
}

/** Loads a module of firebase-tools, or of its dependencies. */
export function requireOfficial(module: string): unknown {
  return createRequire(realpathSync(firebaseTools!))(module);
}
