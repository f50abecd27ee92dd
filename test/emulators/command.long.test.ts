import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { FIREBASE_TOOLS_HINT, findFirebaseTools } from '../../emulators/installed';
import { parseOptions } from '../../emulators/options';
import { configuredPorts, freePorts } from '../../emulators/ports';
import { startProgram } from '../../emulators/program';
import { writeWorkspace } from '../../emulators/workspace';
import { startLocalCloud } from '../../local';
import { defaultPorts, freePorts as anyPorts } from '../../local/ports';
import { projectRoot } from '../../local/project';
import { buildBundles } from '../support/bundles';

let folder: string;
beforeAll(() => void (folder = fs.mkdtempSync(join(tmpdir(), 'emulators-'))));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const read = (...path: string[]) => fs.readFileSync(join(folder, ...path), 'utf8');

test('without firebase-tools the command says in one sentence how to get it, and exits with 1', () => {
  buildBundles('emulators');
  const env = { ...process.env, FIREBASE_TOOLS: join(folder, 'firebase') };
  expect(findFirebaseTools(env)).toBeUndefined();
  const ended = spawnSync(process.execPath, [join(projectRoot, '.build/emulators.js')], { env, encoding: 'utf8' });
  const stderr = `The emulators could not start. ${FIREBASE_TOOLS_HINT}\n`;
  expect(ended).toMatchObject({ status: 1, stdout: '', stderr });
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
  [['--project', 'demo-a', '--project', 'demo-b'], '--project is given twice'],
  [['--verbose'], "Unknown option '--verbose'"],
])('%j is refused', (args, message) => expect(() => parseOptions(args)).toThrow(message));

test('the scheduled functions run, unless they are turned off', () => {
  expect(parseOptions([])).toMatchObject({ schedules: true, backends: 'official', firestore: 'auto' });
  const options = parseOptions(['--no-schedules', '--backends', 'local']);
  expect(options).toMatchObject({ schedules: false, backends: 'local' });
});

test('the ports differ from each other and from those of npm start', async () => {
  const ports = [...Object.values(await configuredPorts()), ...Object.values(defaultPorts)];
  expect(new Set(ports).size).toBe(ports.length);
});

test('the workspace has the functions with environment and secrets for one user, and no file of a deployment', async () => {
  const workspace = join(folder, 'workspace');
  const ports = await freePorts();
  for (const secret of ['old', 'new "quoted"']) {
    await writeWorkspace({
      folder: workspace,
      ports,
      emulators: ['functions', 'hosting', 'storage'],
      standsInForRules: true,
      environment: { BASE_URL: 'http://127.0.0.1:1' },
      secrets: { SERVICE_SECRET: secret },
    });
  }
  expect(read('workspace/functions/.secret.local')).toBe('SERVICE_SECRET="new \\"quoted\\""\n');
  expect(read('workspace/functions/.env.local')).toBe('BASE_URL="http://127.0.0.1:1"\n');
  expect(fs.statSync(join(workspace, 'functions', '.secret.local')).mode & 0o777).toBe(0o600);
  expect(() => read('workspace/functions/.env')).toThrow('ENOENT');
  const { emulators, hosting } = JSON.parse(read('workspace/firebase.json')) as Record<string, unknown>;
  expect(emulators).toMatchObject({ storage: { host: '127.0.0.1', port: ports.storage } });
  expect(emulators).not.toHaveProperty('auth');
  const project = JSON.parse(fs.readFileSync(join(projectRoot, 'firebase.json'), 'utf8')) as { hosting: unknown };
  expect(hosting).toEqual(project.hosting);
  expect(fs.readlinkSync(join(workspace, 'functions', 'lib'))).toBe(join(projectRoot, 'functions', 'lib'));
});

test('the program in place of the runtime of the rules denies what storage.rules denies: everything', async () => {
  const rules = fs.readFileSync(join(projectRoot, 'storage.rules'), 'utf8');
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

describe('the program of the emulators', () => {
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const untilGone = async (pid: number) => {
    while (isAlive(pid)) await pause(20);
  };

  /** Starts the command over a program in place of firebase-tools, which prints its process id and stays. */
  async function startOver(program: string, ...args: string[]) {
    const file = join(folder, 'firebase');
    const stays = "console.log('pid', process.pid);\nsetInterval(() => {}, 1e6);\n";
    fs.writeFileSync(file, `#!${process.execPath}\n${program}\n${stays}`, { mode: 0o700 });
    const temporary = fs.mkdtempSync(join(folder, 'tmp-'));
    const env = { ...process.env, FIREBASE_TOOLS: file, TMPDIR: temporary };
    const command = [join(projectRoot, '.build/emulators.js'), '--ephemeral', '--backends', 'local', ...args];
    const child = spawn(process.execPath, command, { env });
    const ended = once(child, 'close') as Promise<[number | null]>;
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const pid = new Promise<number>((resolve) => {
      createInterface(child.stdout).on('line', (line) => {
        const [, digits] = /^pid (\d+)$/.exec(line) ?? [];
        if (digits) resolve(Number(digits));
      });
    });
    const first = await Promise.race([pid, ended.then(() => undefined)]);
    return { child, ended, pid: first, temporary, stderr: () => stderr };
  }

  test('ends at Ctrl-C, even when it ignores SIGINT; nothing stays behind', async () => {
    const { child, ended, pid, temporary } = await startOver("process.on('SIGINT', () => {});");
    expect(isAlive(pid!)).toBe(true);
    const again = setInterval(() => child.kill('SIGINT'), 300);
    expect((await ended)[0]).toBe(0);
    clearInterval(again);
    await untilGone(pid!);
    expect(fs.readdirSync(temporary)).toEqual([]);
  });

  test('ends when the command is killed; the folder with the secrets is deleted', async () => {
    const { child, ended, pid, temporary } = await startOver('');
    expect(fs.readdirSync(join(temporary, fs.readdirSync(temporary)[0]!))).toContain('service-account.json');
    child.kill('SIGKILL');
    await ended;
    await untilGone(pid!);
    while (fs.readdirSync(temporary).length > 0) await pause(20);
  });

  test('is not started over a data folder that another process uses, and no file of the folder changes', async () => {
    const dataDir = join(folder, 'used');
    fs.mkdirSync(dataDir);
    const cloud = await startLocalCloud({ dataDir, ports: anyPorts, loadFunctions: () => Promise.resolve({}) });
    const files = ['data.mdb', 'lock.mdb', 'mail/data.mdb', 'mail/lock.mdb', 'service-account.json'];
    const states = () => files.map((file) => [file, fs.statSync(join(dataDir, file)).ino]);
    const before = states();
    const { ended, pid, stderr } = await startOver('', '--data', dataDir);
    expect([(await ended)[0], pid]).toEqual([1, undefined]);
    const user = `The data folder ${dataDir} is in use by process ${process.pid}.`;
    expect(stderr()).toBe(`The emulators could not start. ${user} Stop that process first.\n`);
    expect(states()).toEqual(before);
    await cloud.close();

    fs.rmSync(join(dataDir, 'mail'), { recursive: true });
    const damaged = await startOver('', '--data', dataDir);
    expect([(await damaged.ended)[0], damaged.pid]).toEqual([1, undefined]);
    expect(damaged.stderr()).toContain(`${join(dataDir, 'mail', 'data.mdb')} is missing.`);
  });

  test('that ends after it was ready ends the command with 1, also when a part cannot stop', async () => {
    // It answers as the Functions emulator does.
    const loaded = JSON.stringify({
      backends: [{ functionTriggers: [{ id: 'us-central1-a', region: 'us-central1' }] }],
    });
    const { child, ended, pid, temporary, stderr } = await startOver(`
      const { functions } = JSON.parse(require('node:fs').readFileSync('firebase.json')).emulators;
      const server = require('node:http').createServer((_, answer) => answer.end('${loaded}'));
      server.listen(functions.port, '127.0.0.1', () => console.log('All emulators ready'));
    `);
    await new Promise<void>((resolve) => {
      createInterface(child.stdout).on('line', (line) => line.includes('The emulators are running') && resolve());
    });
    // The folder with the secrets cannot be deleted: its parent is a file now.
    fs.renameSync(temporary, `${temporary}-moved`);
    fs.writeFileSync(temporary, '');
    process.kill(pid!, 'SIGKILL');
    expect((await ended)[0]).toBe(1);
    expect(stderr()).toMatch(/^The emulators have stopped\. firebase-tools ended with code 1\.\nENOTDIR: /m);
  });

  test('is ended after its time, and the error has its last output', async () => {
    let pid = 0;
    const script = "console.log('working', process.pid); console.error('stuck'); setInterval(() => {}, 1e6);";
    const starting = startProgram({
      name: 'The program',
      command: [process.execPath, '-e', script],
      cwd: folder,
      env: process.env,
      readyWhen: /never/,
      startMs: 2000,
      onOutput: (text) => (pid ||= Number(/working (\d+)/.exec(text)?.[1] ?? 0)),
    });
    await expect(starting).rejects.toThrow(/^The program was not ready within 2 seconds. Its last output:\n[^]*stuck/);
    await untilGone(pid);
  });
});
