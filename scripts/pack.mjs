// Packs a package of the project as npm does, for `npm install <address>` from the site of the service.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { root } from './root.mjs';

/**
 * Writes the package of `folder` to the file `packed`, a path that is absolute or begins at the root. Returns it. The
 * package holds what its `files` name, README.md and the project's licence. It depends on nothing: the build has
 * bundled what it uses.
 */
export function pack(folder, packed) {
  mkdirSync(join(root, '.build'), { recursive: true });
  // Another process may pack the same package.
  const stage = mkdtempSync(join(root, '.build', `pack-${folder}-`));
  try {
    const target = resolve(root, packed);
    mkdirSync(dirname(target), { recursive: true });
    // A rename does not reach another disk.
    const draft = `${target}.${process.pid}`;
    copyFileSync(join(stage, packStage(folder, stage)), draft);
    renameSync(draft, target);
    return target;
  } finally {
    rmSync(stage, { recursive: true });
  }
}

/** Collects the files in the folder `stage`, and packs them there. Returns the name of the archive. */
function packStage(folder, stage) {
  // The scripts are those of the repository.
  const {
    private: _private,
    scripts: _scripts,
    ...manifest
  } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const name of [...manifest.files, 'README.md'])
    cpSync(join(root, folder, name), join(stage, name), { recursive: true });
  copyFileSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
  const npm = spawnSync('npm', ['pack', '--ignore-scripts', '--offline', '--loglevel=error'], {
    cwd: stage,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) throw new Error(`\`npm pack\` failed for ${folder}. ${npm.error?.message ?? ''}`.trim());
  return `${manifest.name}-${manifest.version}.tgz`;
}
