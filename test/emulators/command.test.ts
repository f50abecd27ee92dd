import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FIREBASE_TOOLS_HINT, findFirebaseTools } from '../../emulators/installed';
import { parseOptions } from '../../emulators/options';
import { configuredPorts, freePorts } from '../../emulators/ports';
import { writeWorkspace } from '../../emulators/workspace';
import { defaultPorts } from '../../local/ports';
import { projectRoot } from '../../local/project';

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'emulators-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');

test('without firebase-tools the command says in one sentence how to get it, and exits with 1', () => {
  spawnSync(process.execPath, [join(projectRoot, 'scripts/build.mjs')], { stdio: 'inherit' });
  const env = { ...process.env, FIREBASE_TOOLS: join(folder, 'firebase') };
  expect(findFirebaseTools(env)).toBeUndefined();
  const ended = spawnSync(process.execPath, [join(projectRoot, '.build/emulators.js')], { env, encoding: 'utf8' });
  expect(ended).toMatchObject({
    status: 1,
    stdout: '',
    stderr: `The emulators could not start. ${FIREBASE_TOOLS_HINT}\n`,
  });
});

test('firebase-tools is found on the PATH when FIREBASE_TOOLS is not set', () => {
  expect(findFirebaseTools({ FIREBASE_TOOLS: __filename, PATH: '' })).toBe(__filename);
  expect(findFirebaseTools({ PATH: folder })).toBeUndefined();
});

test.each([
  [['--project', 'decks'], '--project "decks": demo-'],
  [['--backends', 'cloud'], '--backends is official or local.'],
  [['--firestore', 'other'], '--firestore is google or local.'],
  [['--data', 'kept'], '--data needs --backends local'],
  [['--data', 'kept', '--backends', 'local', '--firestore', 'google'], '--data needs the local Firestore'],
  [['--verbose'], "Unknown option '--verbose'"],
])('%j is refused', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});

test('the scheduled functions run, unless they are turned off', () => {
  expect(parseOptions([])).toMatchObject({ schedules: true, backends: 'official', firestore: 'auto' });
  expect(parseOptions(['--no-schedules', '--backends', 'local'])).toMatchObject({
    schedules: false,
    backends: 'local',
  });
});

test('the ports differ from each other and from those of npm start', async () => {
  const ports = [...Object.values(await configuredPorts()), ...Object.values(defaultPorts)];
  expect(new Set(ports).size).toBe(ports.length);
});

test('the workspace has the functions with environment and secrets for one user, and no file of a deployment', async () => {
  const workspace = join(folder, 'workspace');
  const write = (secret: string) =>
    freePorts().then((ports) =>
      writeWorkspace({
        ...{ folder: workspace, ports, emulators: ['functions', 'hosting', 'storage'], standsInForRules: true },
        ...{ environment: { BASE_URL: 'http://127.0.0.1:1' }, secrets: { SERVICE_SECRET: secret } },
      }).then(() => ports),
    );
  await write('old');
  const ports = await write('new "quoted"');
  expect(read('workspace/functions/.secret.local')).toBe('SERVICE_SECRET="new \\"quoted\\""\n');
  expect(read('workspace/functions/.env.local')).toBe('BASE_URL="http://127.0.0.1:1"\n');
  expect(statSync(join(workspace, 'functions', '.secret.local')).mode & 0o777).toBe(0o600);
  expect(() => read('workspace/functions/.env')).toThrow('ENOENT');
  const { emulators, hosting } = JSON.parse(read('workspace/firebase.json')) as Record<string, unknown>;
  expect(emulators).toMatchObject({ storage: { host: '127.0.0.1', port: ports.storage } });
  expect(emulators).not.toHaveProperty('auth');
  const project = JSON.parse(readFileSync(join(projectRoot, 'firebase.json'), 'utf8')) as { hosting: unknown };
  expect(hosting).toEqual(project.hosting);
  expect(realpathSync(join(workspace, 'functions', 'lib'))).toBe(join(realpathSync(projectRoot), 'functions', 'lib'));
});

test('the program in place of the runtime of the rules denies what storage.rules denies: everything', async () => {
  const rules = readFileSync(join(projectRoot, 'storage.rules'), 'utf8');
  expect(rules.match(/allow .*/g)).toEqual(['allow read, write: if false;']);
  const program = spawn(process.execPath, [join(projectRoot, 'emulators/deny-all.mjs'), '-jar', 'x', 'serve']);
  const answers = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await answers.next()).value as string) as unknown;
  expect(await next()).toMatchObject({ id: -1, status: 'ok' });
  program.stdin.write(`${JSON.stringify({ id: 0, action: 'load_ruleset' })}\n`);
  expect(await next()).toMatchObject({ id: 0, result: { rulesVersion: 2 }, errors: [] });
  program.stdin.end(`${JSON.stringify({ id: 1, action: 'verify' })}\n`);
  expect(await next()).toMatchObject({ id: 1, result: { permit: false } });
});
