// Installs what is missing, before anything else can be imported: only Node's own modules here.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/** The packages of the project; each has a lock file of its own. */
const PACKAGES = ['', 'functions', 'cli'];

/** Runs `npm ci` where something of the lock file is not installed. Ends the process when that fails. */
export function installMissing() {
  for (const name of PACKAGES) {
    const folder = join(root, name);
    if (isInstalled(folder)) continue;
    console.error(`Installing the packages of ${name || 'the project'} …`);
    // What npm prints is no result of ours: standard output stays clean.
    const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    });
    if (npm.status !== 0) {
      console.error(`\`npm ci\` failed in ${folder}${npm.error ? `: ${npm.error.message}` : ''}.`);
      process.exit(1);
    }
  }
}

/** Compares the lock file with the record that npm leaves of what it installed. */
function isInstalled(folder) {
  const installed = packagesIn(join(folder, 'node_modules', '.package-lock.json'));
  if (!installed) return false;
  const wanted = Object.entries(packagesIn(join(folder, 'package-lock.json')) ?? {}).filter(([path]) => path !== '');
  return wanted.every(([path, { version, optional, devOptional, peer }]) =>
    // Packages for other platforms are left out by design.
    path in installed ? installed[path].version === version : optional || devOptional || peer,
  );
}

function packagesIn(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
