// `npm run test:decks`: installs what is missing, builds the decks of test/real-decks with their own tools, and tests
// them in Chromium. Arguments after `--` are passed to jest; `-- --built` takes the decks of the last build.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildChanged } from './build.mjs';
import { ensureChromium } from './chromium.mjs';
import { installMissing } from './install.mjs';
import { root } from './root.mjs';

await installMissing(['', 'test/real-decks'], { dev: true });
await buildChanged();
const chromium = ensureChromium({ hasWindows: true });
if (!chromium.path) {
  console.error(`The decks need Chromium: ${chromium.problem}.`);
  process.exit(1);
}

function run(file, ...args) {
  const env = { ...process.env, CHROMIUM_PATH: chromium.path };
  const { status } = spawnSync(process.execPath, [join(root, file), ...args], { cwd: root, stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}

const args = process.argv.slice(2);
if (!args.includes('--built')) run('test/real-decks/build.mjs');
run(
  'node_modules/jest/bin/jest.js',
  ...['--testMatch', '**/test/real-decks/*.run.ts', '--runInBand', '--testTimeout', '180000'],
  ...args.filter((arg) => arg !== '--built'),
);
