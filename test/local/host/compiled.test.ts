import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../../local/project';
import { uploadedFiles } from '../../support/deployed';
import { functionsFolder, startInstance } from '../../support/framework';

const environment = {
  GCLOUD_PROJECT: 'demo-decks',
  TRUSTED_PROXY_HOPS: '0',
  // Node then prints what it does with compiled code.
  NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
};
// Node has this function from 22.10 on.
const test22 = 'flushCompileCache' in nodeModule ? test : test.skip;

/** Answers of the instance in `folder`, and whether it has used compiled code. */
async function startIn(folder: string): Promise<{ status: number; usesCompiled: boolean }> {
  const instance = await startInstance('getServiceInfo', environment, folder);
  const { status } = await fetch(instance.url);
  await instance.stop();
  return { status, usesCompiled: /functions\.js was accepted/.test(instance.output()) };
}

let parent: string;
let folder: string;
beforeAll(() => {
  execFileSync(process.execPath, [join(projectRoot, 'scripts', 'build.mjs')]);
});
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'compiled-'));
  folder = join(parent, 'workspace');
  for (const file of uploadedFiles(functionsFolder)) cpSync(join(functionsFolder, file), join(folder, file));
  symlinkSync(join(functionsFolder, 'node_modules'), join(folder, 'node_modules'), 'junction');
});
afterEach(() => rmSync(parent, { recursive: true }));

const compile = () => execFileSync(process.execPath, ['compile.cjs'], { cwd: folder });

test22('an instance uses the code that the installation of packages has compiled, wherever the folder is', async () => {
  compile();
  const moved = `${folder}-moved`;
  renameSync(folder, moved);
  expect(await startIn(moved)).toEqual({ status: 200, usesCompiled: true });
});

test22('an instance does not use the compiled code of another bundle', async () => {
  compile();
  appendFileSync(join(folder, 'lib', 'functions.js'), '\n');
  expect(await startIn(folder)).toEqual({ status: 200, usesCompiled: false });
});

test('an instance starts without compiled code', async () => {
  expect(await startIn(folder)).toEqual({ status: 200, usesCompiled: false });
});

test('npm compiles after an installation, and an installation without a bundle succeeds', async () => {
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { scripts: object };
  expect(scripts).toMatchObject({ postinstall: 'node compile.cjs' });
  renameSync(join(folder, 'lib'), join(folder, 'other'));
  compile();
  expect(existsSync(join(folder, 'lib'))).toBe(false);
});
