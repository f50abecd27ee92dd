import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Builds the client library when its sources have changed: decks of PDFs and of pictures contain parts of it. */
export const buildClient = (): void =>
  void execFileSync(process.execPath, [join(__dirname, '../../scripts/build.mjs'), 'client']);
