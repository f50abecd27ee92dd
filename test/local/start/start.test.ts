import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { checkDataFolder } from '../../../local/check';
import { HELP } from '../../../local/options';
import { startLocalCloud } from '../../../local';
import { freePorts } from '../../../local/ports';
import { each } from '../../support/each';
import { freePort } from '../../support/sockets';
import { words } from '../../support/words';
import { aFolder } from '../folders';
import { buildBundles } from '../../support/bundles';
import { run, start, startForPeople, startWithClock, type Addresses } from './command';

beforeAll(() => buildBundles());

const startWithoutFunctions = (dataDir: string) =>
  startLocalCloud({ dataDir, ports: freePorts, loadFunctions: () => Promise.resolve({}) });

function accepts(host: string): Promise<boolean> {
  const { hostname, port } = new URL(host.includes('://') ? host : `http://${host}`);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.on('connect', () => socket.end(() => resolve(true)));
    socket.on('error', () => resolve(false));
  });
}

const hostsOf = (addresses: Addresses) => [
  ...[addresses.baseUrl, addresses.hostingUrl, addresses.mailUrl],
  ...[addresses.firestoreHost, addresses.storageHost, addresses.authHost],
  ...(addresses.deckOrigin ? [addresses.deckOrigin.replace('*.decks.localhost', '127.0.0.1')] : []),
];

const deployedJobs = words(
  'finishDeletions foldMarketplaceCounters recountUsage removeAbandonedUploads removeExpiredSessions',
);

/** Resolves when the log has told the first run of each job. */
const firstRuns = ({ stderr }: ChildProcess) =>
  new Promise<void>((resolve) => {
    const left = new Set(deployedJobs);
    createInterface(stderr!).on('line', (line) => {
      left.delete(/^schedule (\w+): first run /.exec(line)?.[1] ?? '');
      if (left.size === 0) resolve();
    });
  });

describe('the command', () => {
  const withDecks = expect.stringMatching(/^http:\/\/\*\.decks\.localhost:\d+$/) as string;
  test.each([
    { signal: 'SIGTERM', second: 'SIGHUP', option: [], deckOrigin: withDecks },
    { signal: 'SIGINT', second: 'SIGINT', option: ['--no-deck-origin'], deckOrigin: null },
  ] as const)(
    'with --json and $option, prints exactly one line when every part answers, and exits with 0 on $signal and $second',
    async ({ signal, second, option, deckOrigin }) => {
      const { child, addresses, ended } = await start('--ephemeral', '--json', ...option, '--project', 'demo-other');
      expect(addresses).toMatchObject({ ready: true, project: 'demo-other', deckOrigin, pid: child.pid });
      expect(addresses.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/demo-other\/us-central1$/);
      for (const host of each(hostsOf(addresses))) expect(await accepts(host)).toBe(true);
      // The functions log to standard error, so standard output has the addresses only.
      expect((await fetch(`${addresses.baseUrl}/verifyApiKey`, { method: 'POST' })).status).toBe(401);
      const body = JSON.stringify({ email: 'ada@example.org' });
      const signup = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      expect((await fetch(`${addresses.baseUrl}/cliRequestSignupOtp`, signup)).status).toBe(200);
      child.kill(signal);
      // npm sends a Ctrl-C of the terminal again, while the command closes.
      for (const ms of [1, 4, 16]) setTimeout(() => child.kill(second), ms);
      const { code, stdout } = await ended;
      expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 1]);
      expect(JSON.parse(stdout)).toEqual(addresses);
      for (const host of each(hostsOf(addresses))) expect(await accepts(host)).toBe(false);
      expect(existsSync(addresses.dataDir)).toBe(false);
    },
  );

  test('a wrong command line is explained and ends with 2, --help ends with 0', async () => {
    const { code, stdout, stderr } = await run('--frobnicate');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.split('\n')[0]).toContain('--frobnicate');
    expect(stderr).toContain('--platform-limits');
    expect(await run('--help')).toMatchObject({ code: 0, stdout: HELP, stderr: '' });
  });

  test('without --json, the command prints how to publish, a short line for each request, and needs no reader of it', async () => {
    const [port, other] = [await freePort(), await freePort()];
    const options = [`--port=functions=${port}`, '--port', `decks=${other}`];
    const { child, ended, text } = await startForPeople('--ephemeral', ...options);
    for (const part of ['Functions', 'Hosting', 'Decks', 'Mail', 'Firestore', 'Storage', 'Auth', 'Schedules', 'Data'])
      expect(text).toMatch(new RegExp(`^ +${part} +\\S+`, 'm'));
    expect(text).toContain('for development only');
    expect(text).toContain('127.0.0.1 only');
    expect(text).toContain('npx deckhost signup');
    const baseUrl = `http://127.0.0.1:${port}/demo-decks/us-central1`;
    expect(text).toContain(`Functions   ${baseUrl}\n`);
    expect(text).toContain(`Decks       http://*.decks.localhost:${other}\n`);
    expect(text).toContain(`DECK_BASE_URL=${baseUrl}\n`);
    const line = once(createInterface(child.stderr), 'line');
    expect((await fetch(`${baseUrl}/verifyApiKey`, { method: 'POST' })).status).toBe(401);
    expect(await line).toEqual([expect.stringMatching(/^401 POST verifyApiKey unauthenticated \d+ ms$/)]);
    child.stdout.destroy();
    child.stderr.destroy();
    for (let i = 0; i < 3; i++) {
      // Its line in the log cannot be written.
      expect((await fetch(`${baseUrl}/verifyApiKey`, { method: 'OPTIONS' })).status).toBe(204);
    }
    child.kill();
    expect((await ended).code).toBe(0);
  });

  test('scheduled functions run when their time has come, unless they are switched off', async () => {
    const dataDir = aFolder();
    const first = await startWithClock('--ephemeral', '--json', '--data', dataDir);
    const ran = firstRuns(first.child);
    first.pass(3600_000);
    await ran;
    first.child.kill();
    const { code, stderr } = await first.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('"A job has run."')]);
    // More than ten run at once.
    expect(stderr).not.toContain('MaxListenersExceededWarning');

    const second = await startWithClock('--ephemeral', '--json', '--no-schedules', '--data', dataDir);
    second.pass(3600_000);
    expect((await fetch(`${second.addresses.baseUrl}/recountUsage`, { method: 'POST' })).status).toBe(200);
    second.child.kill();
    expect((await second.ended).stderr).not.toContain('schedule ');
  });
});

describe('the data folder', () => {
  test('may have a dot in its name; --check ends with 0 while it is intact and with 1 once it is damaged', async () => {
    const dataDir = join(aFolder(), 'my.data');
    const cloud = await startWithoutFunctions(dataDir);
    await expect(checkDataFolder(dataDir)).rejects.toThrow(`process ${process.pid}`);
    await cloud.close();

    const intact = await run('--check', '--data', dataDir);
    expect(intact).toMatchObject({ code: 0, stderr: '' });
    expect(intact.stdout).toMatch(/firestore: \d+ records, intact\n(.+\n)+.*my\.data is intact\.\n$/);

    truncateSync(join(dataDir, 'auth', 'data.mdb'), 5000);
    writeFileSync(join(dataDir, 'schedules'), 'x');
    const json = await run('--check', '--json', '--data', dataDir);
    const named = ['data.mdb', join('my.data', 'schedules')].map((each) => expect.stringContaining(each) as unknown);
    expect(json).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({ intact: false, damage: expect.arrayContaining(named) });
    rmSync(join(dataDir, 'schedules'));
    const started = await run('--json', '--ephemeral', '--data', dataDir);
    expect(started).toMatchObject({ code: 1, signal: null, stdout: '' });
    const refusal = /^The local cloud could not start\. The data file .+auth.data\.mdb cannot be used: .+\n$/;
    expect(started.stderr).toMatch(refusal);

    await expect(checkDataFolder(join(dataDir, 'none'))).rejects.toThrow('There is no data');
  });

  const isRoot = process.getuid?.() === 0;
  (isRoot || process.platform === 'win32' ? test.skip : test)('without write permission is named', async () => {
    const dataDir = aFolder();
    chmodSync(dataDir, 0o500);
    const { code, stdout, stderr } = await run('--json', '--data', dataDir);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^The local cloud could not start\. The data folder .+ cannot be written .+\n$/);
    expect(stderr).toContain(dataDir);
  });

  test('contains secrets that only their owner can read and that do not change', async () => {
    const dataDir = join(aFolder(), 'made', 'at', 'start');
    const secrets = async () => {
      const cloud = await startWithoutFunctions(dataDir);
      await cloud.close();
      return [cloud.environment['SERVICE_SECRET'], cloud.environment['GOOGLE_APPLICATION_CREDENTIALS']];
    };
    const [secret, accountFile = ''] = await secrets();
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect([await secrets(), statSync(dataDir).mode & 0o777]).toEqual([[secret, accountFile], 0o700]);
    for (const file of [accountFile, join(dataDir, 'service-secret')]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir).filter((name) => name.endsWith('.draft'))).toEqual([]);
  });
});
