// Installs missing packages. Imports only Node's own modules, because it runs before the packages are installed.
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { root } from './root.mjs';

/** The folder of the packages that a deployed instance has. */
const FRAMEWORK = '.build/framework';
/** How often the progress of an installation is printed: in a terminal, and in a log. */
const TERMINAL_MS = 500;
const LOG_MS = 5000;

/**
 * Runs `npm ci` in each folder whose lock file is not fully installed, side by side. The root ('') has the packages of
 * everything that runs. `dev` adds what only tests, linters and the reference need. Exits with 1 when that fails, and
 * when Node is too old.
 */
export async function installMissing(folders = [''], { dev = false } = {}) {
  assertNode();
  const missing = folders
    .map((name) => ({ name, folder: join(root, name), wanted: wantedPackages(join(root, name), dev) }))
    .filter(({ folder, wanted }) => !isInstalled(folder, wanted));
  if (missing.length === 0) return;
  const failed = await Promise.all(missing.map((each) => install(each, dev)));
  if (failed.some(Boolean)) process.exit(1);
}

/** Exits with 1 when Node is older than package.json demands: its packages would fail with a stack. */
function assertNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [needed, found] = [engines.node.replace('>=', ''), process.versions.node];
  if (found.localeCompare(needed, undefined, { numeric: true }) >= 0) return;
  console.error(`This project needs Node ${needed} or newer, and this is Node ${found}.`);
  process.exit(1);
}

/**
 * Installs what an instance of the platform has beside the bundles, by the lock file of functions/. Not in functions/
 * itself: the sources there would find these packages before those of the project.
 */
export async function installFramework() {
  mkdirSync(join(root, FRAMEWORK), { recursive: true });
  for (const name of ['package.json', 'package-lock.json', 'compile.cjs']) {
    copyFileSync(join(root, 'functions', name), join(root, FRAMEWORK, name));
  }
  await installMissing([FRAMEWORK]);
}

/** Resolves with true when the installation failed. npm is silent while it works, so that this prints the progress. */
async function install({ name, folder, wanted }, dev) {
  const title = `Installing ${wanted.length} packages${name ? ` of ${name}` : ''}`;
  const isTerminal = process.stderr.isTTY && !process.env.CI;
  process.stderr.write(isTerminal ? `${title} …` : `${title} …\n`);
  const startedAt = Date.now();
  const progress = setInterval(
    () => {
      const count = wanted.filter(([path]) => existsSync(join(folder, path, 'package.json'))).length;
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      const line = `${title}: ${count} after ${seconds} s`;
      process.stderr.write(isTerminal ? `\r\x1b[K${line}` : `${line}\n`);
    },
    isTerminal ? TERMINAL_MS : LOG_MS,
  );
  const kinds = dev || name !== '' ? ['--include=dev'] : ['--omit=dev'];
  // npm prints to standard error, because standard output is for the command's result.
  const npm = spawn('npm', ['ci', ...kinds, '--no-audit', '--no-fund', '--no-progress', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  const problem = await new Promise((resolve) => {
    npm.once('error', (error) => resolve(error.message));
    npm.once('close', (status) => resolve(status === 0 ? undefined : `npm ended with ${status}`));
  });
  clearInterval(progress);
  if (isTerminal) process.stderr.write('\r\x1b[K');
  if (problem === undefined) return false;
  console.error(`\`npm ci\` failed in ${folder}: ${problem}.`);
  return true;
}

/** The packages of the lock file that must be there, as [path, entry]. npm leaves out those for other platforms. */
function wantedPackages(folder, dev) {
  return Object.entries(packagesIn(join(folder, 'package-lock.json')) ?? {}).filter(
    ([path, { optional, devOptional, peer, ...entry }]) =>
      path !== '' && !optional && !devOptional && !peer && (dev || folder !== join(root, '') || !entry.dev),
  );
}

/** Compares the lock file with npm's record of the installed packages. */
function isInstalled(folder, wanted) {
  const installed = packagesIn(join(folder, 'node_modules', '.package-lock.json'));
  return installed !== undefined && wanted.every(([path, { version }]) => installed[path]?.version === version);
}

function packagesIn(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
