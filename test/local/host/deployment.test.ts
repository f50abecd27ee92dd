import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  appendFileSync,
  existsSync,
  renameSync,
} from 'node:fs';
import * as nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { sizeOf } from '../../../functions/src/resources';
import { projectRoot } from '../../../local/project';
import { uploadedFiles, deployTo } from '../../support/deployed';
import { each } from '../../support/each';
import { functionsFolder, startInstance } from '../../support/framework';
import { words } from '../../support/words';
import { aFolder } from '../folders';
import { buildBundles } from '../../support/bundles';

const MB = 1024 * 1024;

beforeAll(() => buildBundles());

test('a deploy uploads the bundles and the lists of packages, and no secrets, settings, sources or logs', () => {
  const folder = aFolder();
  const isOwn = (path: string) => !path.includes('node_modules');
  cpSync(functionsFolder, folder, { recursive: true, filter: (path) => isOwn(path.slice(functionsFolder.length)) });
  const local = '.env .env.local .env.demo-decks .secret.local notes.local firebase-debug.log .npmrc';
  for (const name of words(local)) writeFileSync(join(folder, name), 'SERVICE_SECRET=x');
  // A part of the compiled code that the installation of packages left behind.
  mkdirSync(join(folder, 'lib', 'compiled'), { recursive: true });
  writeFileSync(join(folder, 'lib', 'compiled', '1'), 'x');
  expect(uploadedFiles(folder)).toEqual(
    words(`compile.cjs lib/agents.js lib/functions.js lib/functions.js.map lib/google-auth.js lib/google.js lib/index.js lib/parse5.js
      lib/preact.js lib/resend.js lib/transliteration.js package-lock.json package.json`),
  );
  // The map of all packages has 4.4 MB.
  expect(readFileSync(join(functionsFolder, 'lib', 'functions.js.map')).length).toBeLessThan(0.75 * MB);
});

type Manifest = { endpoints: Record<string, DeployedFunction>; params: { name: string; type: string }[] };

interface DeployedFunction {
  platform: string;
  region: string[];
  cpu: number;
  concurrency: number;
  timeoutSeconds: number;
  maxInstances: number;
  secretEnvironmentVariables?: { key: string }[];
}

/** What the Firebase CLI reads of the functions. It passes functions/.env to this program as its environment. */
function discover(settings: Record<string, string> = {}): Manifest {
  const discovery = join(projectRoot, 'node_modules', 'firebase-functions', 'lib', 'bin', 'firebase-functions.js');
  const file = join(aFolder(), 'functions.json');
  const env = { ...process.env, FUNCTIONS_MANIFEST_OUTPUT_PATH: file, GCLOUD_PROJECT: 'demo-decks', ...settings };
  execFileSync(process.execPath, [discovery], { cwd: functionsFolder, env, stdio: 'pipe' });
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}

function pages(): { functionId: string }[] {
  const { hosting } = JSON.parse(readFileSync(join(projectRoot, 'firebase.json'), 'utf8')) as {
    hosting: { rewrites: { function?: { functionId: string } }[] };
  };
  return hosting.rewrites.flatMap((rewrite) => rewrite.function ?? []);
}

describe('a deployment', () => {
  let manifest: Manifest;
  beforeAll(() => void (manifest = discover()));

  test('finds every function, parameter and secret in the bundle', () => {
    const bundle = nodeModule.createRequire(__filename)(join(functionsFolder, 'lib', 'index.js')) as Record<
      string,
      unknown
    >;
    expect(Object.keys(manifest.endpoints).sort()).toEqual(Object.keys(bundle).sort());
    for (const endpoint of each(Object.values(manifest.endpoints)))
      expect(endpoint).toMatchObject({ platform: 'gcfv2', region: ['us-central1'] });
    const secrets = manifest.params.filter(({ type }) => type === 'secret').map(({ name }) => name);
    expect(secrets.sort()).toEqual(['RESEND_API_KEY', 'RESEND_WEBHOOK_SECRET', 'SERVICE_SECRET']);
  });

  const jobs = readdirSync(join(functionsFolder, 'src/endpoints/jobs')).map((file) => file.replace(/\.ts$/, ''));
  test.each(jobs)('gives the job %s the key of the mail provider when it mails, and not otherwise', async (name) => {
    const { metafile } = await build({
      absWorkingDir: projectRoot,
      entryPoints: [`functions/src/endpoints/jobs/${name}.ts`],
      bundle: true,
      write: false,
      metafile: true,
      outdir: 'out',
      platform: 'node',
      packages: 'external',
      logLevel: 'silent',
      external: ['*.cjs'],
    });
    const [output] = Object.values(metafile.outputs);
    const mails = (output!.inputs['functions/src/mail/send.ts']?.bytesInOutput ?? 0) > 0;
    const secrets = manifest.endpoints[name]!.secretEnvironmentVariables?.map(({ key }) => key) ?? [];
    expect([name, secrets.includes('RESEND_API_KEY')]).toEqual([name, mails]);
  });

  test('gives every function the region, the account and the size of its class under the quota of the settings', () => {
    const [region, serviceAccountEmail] = ['europe-west1', 'decks@a-project.iam.gserviceaccount.com'];
    const { endpoints } = discover({ CPU_QUOTA: '107', REGION: region, SERVICE_ACCOUNT: serviceAccountEmail });
    for (const endpoint of each(Object.values(endpoints)))
      expect(endpoint).toMatchObject({ region: [region], serviceAccountEmail });
    const { cpu, maxInstances, concurrency } = sizeOf('call', 107);
    expect(endpoints['renamePresentation']).toMatchObject({ cpu, maxInstances, concurrency, availableMemoryMb: 1024 });
    expect(endpoints['finishDeletions']).toMatchObject({ cpu: 0.08, maxInstances: 1, concurrency: 1 });
  });

  test('refuses a quota that the functions do not fit into', () => {
    expect(() => discover({ CPU_QUOTA: '19' })).toThrow('CPU_QUOTA must be at least 20');
  });

  // Hosting waits 60 seconds for a function (firebase.google.com/docs/hosting/functions).
  test('answers the pages behind Hosting, in whatever region they are, before Hosting gives up', () => {
    for (const { functionId, ...others } of each(pages())) {
      expect(manifest.endpoints[functionId]!.timeoutSeconds).toBeLessThanOrEqual(60);
      expect(others).toEqual({});
    }
  });
});

describe('compiled code', () => {
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
  const bare = { ...process.env, NODE_OPTIONS: '' };
  const isPortable = spawnSync(process.execPath, ['-e', portable], { env: bare }).status === 0;
  const testPortable = isPortable ? testCompiled : test.skip;

  /** The status that an instance in `of` answers, and what it has printed. */
  async function startIn(of: string, more: Record<string, string> = {}): Promise<{ status: number; output: string }> {
    const instance = await startInstance('getServiceInfo', { ...environment, ...more }, of);
    const { status } = await fetch(instance.url);
    await instance.stop();
    return { status, output: instance.output() };
  }
  const accepted = 'functions.js was accepted';

  let parent: string;
  let folder: string;
  beforeEach(() => {
    parent = aFolder();
    folder = join(parent, 'workspace');
    deployTo(folder);
  });

  const compile = () => spawnSync(process.execPath, ['compile.cjs'], { cwd: folder, encoding: 'utf8' });
  const compiled = () => join(folder, 'lib', 'compiled');

  testCompiled('an instance uses the code that its installation compiled, not that of another bundle', async () => {
    expect(compile()).toMatchObject({ status: 0, stderr: '' });
    expect(await startIn(folder)).toEqual({ status: 200, output: expect.stringContaining(accepted) });
    appendFileSync(join(folder, 'lib', 'functions.js'), '\n');
    expect(await startIn(folder)).toMatchObject({ status: 200, output: expect.not.stringContaining(accepted) });
  });

  testPortable('an instance also uses it after the folder has moved', async () => {
    compile();
    const moved = `${folder}-moved`;
    renameSync(folder, moved);
    expect(await startIn(moved)).toEqual({ status: 200, output: expect.stringContaining(accepted) });
  });

  testCompiled('the packages that instances in the cloud load are compiled, too', () => {
    compile();
    const load = "require('./lib/index.js'); require('./lib/google-auth.js'); require('./lib/google.js');";
    const env = { ...bare, ...environment };
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', load], { cwd: folder, env, encoding: 'utf8' });
    const names = [...`${stdout}${stderr}`.matchAll(/([\w-]+\.js) was accepted/g)].map(([, name]) => name);
    expect(names.sort()).toEqual(['functions.js', 'google-auth.js', 'google.js']);
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
    const outcome = await startIn(folder, { NODE_OPTIONS: `--require ${refusing}` });
    expect(outcome).toEqual({ status: 200, output: expect.stringContaining('REFUSED') });
  });

  test('npm compiles after an installation, and an installation without a bundle succeeds', () => {
    const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: object };
    expect(scripts).toMatchObject({ postinstall: 'node compile.cjs' });
    renameSync(join(folder, 'lib'), join(folder, 'other'));
    expect([compile().status, existsSync(join(folder, 'lib'))]).toEqual([0, false]);
  });
});
