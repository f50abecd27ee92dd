import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../../local/project';
import { deployTo } from '../../support/deployed';
import { startInstance } from '../../support/framework';
import { aFolder } from '../folders';

const environment = {
  GCLOUD_PROJECT: 'demo-decks',
  TRUSTED_PROXY_HOPS: '0',
  // Node then prints what it does with compiled code.
  NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
};
// Node has this function from 22.10 on.
const testCompiled = 'flushCompileCache' in nodeModule ? test : test.skip;
// Node refuses this call where it looks for compiled code only in the folder that it was written in.
const portable = `require('node:module').enableCompileCache({ directory: ${JSON.stringify(tmpdir())}, portable: true })`;
const isPortable =
  spawnSync(process.execPath, ['-e', portable], { env: { ...process.env, NODE_OPTIONS: '' } }).status === 0;
const testPortable = isPortable ? testCompiled : test.skip;

/** Answers of the instance in `folder`, and whether it has used compiled code. */
async function startIn(folder: string): Promise<{ status: number; usesCompiled: boolean }> {
  const instance = await startInstance('getServiceInfo', environment, folder);
  const { status } = await fetch(instance.url);
  await instance.stop();
  return { status, usesCompiled: /functions\.js was accepted/.test(instance.output()) };
}

let parent: string;
let folder: string;
beforeAll(() => void execFileSync(process.execPath, [join(projectRoot, 'scripts', 'build.mjs')]));
beforeEach(() => {
  parent = aFolder();
  folder = join(parent, 'workspace');
  deployTo(folder);
});

const compile = () => spawnSync(process.execPath, ['compile.cjs'], { cwd: folder, encoding: 'utf8' });
const compiled = () => join(folder, 'lib', 'compiled');

testCompiled(
  'an instance uses the code that an installation has compiled, and not that of another bundle',
  async () => {
    expect(compile()).toMatchObject({ status: 0, stderr: '' });
    expect(await startIn(folder)).toEqual({ status: 200, usesCompiled: true });
    appendFileSync(join(folder, 'lib', 'functions.js'), '\n');
    expect(await startIn(folder)).toEqual({ status: 200, usesCompiled: false });
  },
);

testPortable('an instance also uses it after the folder has moved', async () => {
  compile();
  const moved = `${folder}-moved`;
  renameSync(folder, moved);
  expect(await startIn(moved)).toEqual({ status: 200, usesCompiled: true });
});

testCompiled('the packages that instances in the cloud load are compiled, too', () => {
  compile();
  const load = "require('./lib/index.js'); require('./lib/google-auth.js'); require('./lib/google.js');";
  const env = { ...process.env, ...environment, NODE_OPTIONS: '' };
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', load], { cwd: folder, env, encoding: 'utf8' });
  const accepted = [...`${stdout}${stderr}`.matchAll(/([\w-]+\.js) was accepted/g)].map(([, name]) => name);
  expect(accepted.sort()).toEqual(['functions.js', 'google-auth.js', 'google.js']);
});

testCompiled('an installation whose functions cannot be loaded succeeds and leaves no compiled code', () => {
  writeFileSync(join(folder, 'lib', 'google.js'), "throw new Error('not loaded');");
  const { status, stderr } = compile();
  expect(status).toBe(0);
  expect(stderr).toMatch(/^The functions were not compiled[^]*not loaded/);
  expect(existsSync(compiled())).toBe(false);
});

test('an instance starts when Node refuses to use the compiled code', async () => {
  mkdirSync(compiled());
  const refusing = join(parent, 'refusing.cjs');
  const refusal = "() => { console.log('REFUSED'); throw new TypeError('cacheDir should be a string'); }";
  writeFileSync(refusing, `require('node:module').enableCompileCache = ${refusal};`);
  const refuses = { ...environment, NODE_OPTIONS: `--require ${refusing}` };
  const instance = await startInstance('getServiceInfo', refuses, folder);
  const { status } = await fetch(instance.url);
  await instance.stop();
  expect(status).toBe(200);
  expect(instance.output()).toContain('REFUSED');
});

test('npm compiles after an installation, and an installation without a bundle succeeds', async () => {
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { scripts: object };
  expect(scripts).toMatchObject({ postinstall: 'node compile.cjs' });
  renameSync(join(folder, 'lib'), join(folder, 'other'));
  expect([compile().status, existsSync(join(folder, 'lib'))]).toEqual([0, false]);
});
