// The Node that runs the servers of the bench: this one, another file, or a version from the package `node`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/root.mjs';

/** The file and the version of `--node`: a file, a version such as `24`, or nothing for the Node of this process. */
export function nodeBinary(asked) {
  if (!asked) return { node: process.execPath, version: process.version };
  const node = /^[\d.]+$/.test(asked) ? installed(asked) : asked;
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${node} does not run.`);
  return { node, version: stdout.trim() };
}

/** Installs the package `node`, whose install script brings the binary of this platform, once for each version. */
function installed(version) {
  const folder = join(root, '.build', `node-${version}`);
  const binary = join(folder, 'node_modules/.bin/node');
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  console.error(`Installing Node ${version} into ${folder} …`);
  const options = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = spawnSync('npm', ['install', ...options, `node@${version}`], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) throw new Error(`The package node@${version} could not be installed.`);
  return binary;
}
