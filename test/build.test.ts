import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../local/project';
import { each } from './support/each';

/** The build in a copy of the project, because the other tests use its bundles meanwhile. */

const copy = mkdtempSync(join(tmpdir(), 'project-'));
const copied = ['scripts', 'functions', 'cli', 'web'];
const lib = join(copy, 'functions', 'lib');
const build = () => execFileSync(process.execPath, [join(copy, 'scripts', 'build.mjs')]);

beforeAll(() => {
  const made = ['.git', '.build', 'lib', 'dist', 'node_modules'];
  for (const name of readdirSync(projectRoot).filter(
    (each) => !copied.includes(each) && !['.git', '.build'].includes(each),
  ))
    symlinkSync(join(projectRoot, name), join(copy, name), 'junction');
  for (const room of copied) {
    mkdirSync(join(copy, room));
    for (const name of readdirSync(join(projectRoot, room)).filter((each) => !made.includes(each)))
      cpSync(join(projectRoot, room, name), join(copy, room, name), { recursive: true });
    const packages = join(projectRoot, room, 'node_modules');
    if (existsSync(packages)) symlinkSync(packages, join(copy, room, 'node_modules'), 'junction');
  }
  build();
});
afterAll(() => rmSync(copy, { recursive: true }));

test('the build makes every file of the functions again that is missing', () => {
  const files = readdirSync(lib).sort();
  expect(files).toEqual(expect.arrayContaining(['functions.js', 'google.js', 'index.js']));
  for (const file of each(files)) {
    rmSync(join(lib, file));
    build();
    expect(readdirSync(lib).sort()).toEqual(files);
  }
});
