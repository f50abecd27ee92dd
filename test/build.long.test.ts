import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { projectRoot } from '../local/project';
import { each } from './support/each';

const copy = mkdtempSync(join(tmpdir(), 'project-'));
const lib = join(copy, 'functions', 'lib');
const build = (...bundles: string[]) =>
  execFileSync(process.execPath, [join(copy, 'scripts', 'build.mjs'), ...bundles]);
const built = () => readdirSync(lib).sort();

/**
 * Builds a copy of the project, because the other tests use its bundles meanwhile. The scripts are loaded before the
 * copy has packages, and it has those alone that `npm start` installs: a fresh clone.
 */
beforeAll(() => {
  const made = ['.git', '.build', 'lib', 'dist', 'node_modules'];
  for (const name of readdirSync(projectRoot).filter((found) => ![...made, 'test'].includes(found))) {
    const isMade = (path: string) => made.includes(basename(path));
    // Not linked: a build through a link would write into the project.
    cpSync(join(projectRoot, name), join(copy, name), { recursive: true, filter: (path) => !isMade(path) });
    const packages = join(projectRoot, name, 'node_modules');
    if (existsSync(packages)) symlinkSync(packages, join(copy, name, 'node_modules'), 'junction');
  }
  loadScripts();
  linkPackages();
  build();
});
afterAll(() => rmSync(copy, { recursive: true }));

/** Loads what each script that installs packages imports. */
function loadScripts(): void {
  const scripts = readdirSync(join(copy, 'scripts')).map((name) => readFileSync(join(copy, 'scripts', name), 'utf8'));
  const installing = scripts.filter((source) => source.includes("from './install.mjs'"));
  const imported = installing.flatMap((source) => [...source.matchAll(/^import .* from '(\.\/.*)';$/gm)]);
  const loads = [...new Set(imported.map(([, path]) => path))].map((path) => `await import('${path}');`);
  expect(loads.length).toBeGreaterThan(5);
  writeFileSync(join(copy, 'scripts', 'load-all.mjs'), loads.join('\n'));
  execFileSync(process.execPath, [join(copy, 'scripts', 'load-all.mjs')]);
}

/** Links each package that the lock file has for more than the development of the project. */
function linkPackages(): void {
  const lock = z
    .object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) })
    .parse(JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')));
  const names = Object.keys(lock.packages).filter((path) => path.lastIndexOf('node_modules/') === 0);
  for (const path of names.filter((name) => !lock.packages[name]?.dev && existsSync(join(projectRoot, name)))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    symlinkSync(join(projectRoot, path), join(copy, path), 'junction');
  }
  // npm's record of them. Without it, the build would install all packages anew.
  const record = join('node_modules', '.package-lock.json');
  cpSync(join(projectRoot, record), join(copy, record));
}

test('the build makes every file of the functions again that is missing', () => {
  const files = built();
  expect(files).toEqual(expect.arrayContaining(['functions.js', 'google.js', 'index.js']));
  for (const name of each(files)) {
    rmSync(join(lib, name));
    build('functions');
    expect(built()).toEqual(files);
  }
});
