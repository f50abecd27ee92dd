// Installs missing packages. Imports only Node's own modules, because it runs before the packages are installed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/** The project's packages, each with its own lock file, but the site: scripts/site.mjs installs that. */
const packages = ['', 'functions', 'client', 'cli'];

/** Runs `npm ci` for each package whose lock file is not fully installed. Exits with 1 when that fails. */
export function installMissing(names = packages) {
  for (const name of names) {
    const folder = join(root, name);
    if (isInstalled(folder)) continue;
    console.error(`Installing the packages of ${name || 'the project'} …`);
    // npm prints to standard error, because standard output is for the command's result.
    const npm = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
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

/** Compares the lock file with npm's record of the installed packages. */
function isInstalled(folder) {
  const installed = packagesIn(join(folder, 'node_modules', '.package-lock.json'));
  if (!installed) return false;
  const wanted = Object.entries(packagesIn(join(folder, 'package-lock.json')) ?? {}).filter(([path]) => path !== '');
  return wanted.every(([path, { version, optional, devOptional, peer }]) =>
    // npm does not install packages for other platforms.
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
