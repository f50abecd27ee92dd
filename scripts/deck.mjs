#!/usr/bin/env node
// `npx deckhost` in this folder runs the command-line client. npx links this file once. It cannot link the bundle,
// which does not exist before the first build.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './root.mjs';

const bundle = join(root, 'cli/dist/deck.js');
if (existsSync(bundle)) {
  await import(pathToFileURL(bundle).href);
} else {
  console.error('The client is not built yet. Run `npm start` in another terminal, or `npm run build`, and try again.');
  process.exitCode = 1;
}
