// Finds a Chromium for the browser tests, or installs one.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { root } from './root.mjs';

/** Chromium without windows, which uses less of the processor: it has no interface of its own to draw. */
const SHELL = 'chromium-headless-shell';
const names = [SHELL, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const macApplications = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);

/**
 * Returns `{path}` of a Chromium that runs, or `{problem}` with the reason why there is none. With `hasWindows` it is
 * one as people have it, which also shows PDF files and keeps the screen awake.
 */
export function ensureChromium({ hasWindows = false } = {}) {
  const named = process.env.CHROMIUM_PATH;
  if (named) return runs(named) ? { path: named } : { problem: `CHROMIUM_PATH (${named}) does not run` };

  const wanted = names.filter((name) => !hasWindows || name !== SHELL);
  const path = installed(wanted) ?? (installFromDistribution() && installed(wanted)) ?? downloaded();
  return path ? { path } : { problem: 'no Chromium was found, and none could be installed: set CHROMIUM_PATH' };
}

function installed(wanted) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = [...wanted.flatMap((name) => folders.map((folder) => join(folder, name))), ...macApplications];
  return candidates.find((path) => isExecutable(path) && runs(path));
}

/** Installs Chromium with apt, on Debian and Ubuntu as root only, for example in a build container. */
function installFromDistribution() {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return false;
  console.error('Installing Chromium for the browser tests …');
  const apt = (...args) =>
    spawnSync('apt-get', ['-qq', '-y', ...args], {
      stdio: ['ignore', 'ignore', 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  const install = (name) => apt('install', '--no-install-recommends', name);
  if (!apt('update')) return false;
  // A test of the focus needs windows.
  const [hasShell, hasWindows] = [install(SHELL), install('chromium')];
  return hasShell || hasWindows;
}

/** Downloads Playwright's build of Chromium. It runs where its system libraries are installed. */
function downloaded() {
  const require = createRequire(join(root, 'package.json'));
  const { chromium } = require('playwright-core');
  if (!isExecutable(chromium.executablePath())) {
    console.error('Downloading Chromium for the browser tests …');
    const cli = join(root, 'node_modules', 'playwright-core', 'cli.js');
    spawnSync(process.execPath, [cli, 'install', 'chromium'], { stdio: ['ignore', 2, 2], timeout: 300_000 });
  }
  return isExecutable(chromium.executablePath()) && runs(chromium.executablePath())
    ? chromium.executablePath()
    : undefined;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether the program runs. Some distributions have a placeholder that only prints how to install Chromium. */
function runs(path) {
  return spawnSync(path, ['--version'], { stdio: 'ignore', timeout: 30_000 }).status === 0;
}
