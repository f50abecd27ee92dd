import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../local/project';
import { each } from './each';

const copy = mkdtempSync(join(tmpdir(), 'project-'));
const copied = ['scripts', 'functions', 'cli', 'web'];
const lib = join(copy, 'functions', 'lib');
const build = () => execFileSync(process.execPath, [join(copy, 'scripts', 'build.mjs')]);
const built = () => readdirSync(lib).sort();

/** Builds a copy of the project before the tests of this file, because the other tests use its bundles meanwhile. */
export function buildInCopy(): void {
  beforeAll(() => {
    const made = ['.git', '.build', 'lib', 'dist', 'node_modules'];
    for (const name of readdirSync(projectRoot).filter((found) => !['.git', '.build', ...copied].includes(found)))
      symlinkSync(join(projectRoot, name), join(copy, name), 'junction');
    for (const room of copied) {
      mkdirSync(join(copy, room));
      for (const name of readdirSync(join(projectRoot, room)).filter((found) => !made.includes(found)))
        cpSync(join(projectRoot, room, name), join(copy, room, name), { recursive: true });
      const packages = join(projectRoot, room, 'node_modules');
      if (existsSync(packages)) symlinkSync(packages, join(copy, room, 'node_modules'), 'junction');
    }
    build();
  });
  afterAll(() => rmSync(copy, { recursive: true }));
}

/** Removes each of these files of the functions, all of them without a list, and demands that a build makes it again. */
export function expectMadeAgain(names = built()): void {
  const files = built();
  expect(files).toEqual(expect.arrayContaining(['functions.js', 'google.js', 'index.js']));
  for (const name of each(names)) {
    rmSync(join(lib, name));
    build();
    expect(built()).toEqual(files);
  }
}
