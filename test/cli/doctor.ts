import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '../../cli/package.json';
import { projectRoot } from '../../local/project';
import { run } from './run-program';
import { computer, testbed, words } from './testbed';

/** `deck doctor`, and what a client says that is too old. */
export function proveDoctor(): void {
  describe('a client that is too old for its service', () => {
    /** The same client with a lower version. */
    let old: string;
    beforeAll(async () => {
      const bundle = await readFile(join(projectRoot, 'cli/dist/deck.js'), 'utf8');
      expect(bundle.split(`version="${version}"`).length).toBeGreaterThan(1);
      old = join(testbed.folder, 'old-deck.js');
      await writeFile(old, bundle.replaceAll(`version="${version}"`, 'version="0.0.9"'));
    });
    const oldDeck = (...args: string[]) => {
      const env = { PATH: process.env['PATH'], HOME: testbed.folder, XDG_CONFIG_HOME: computer.configFolder };
      const line = [old, ...args, '--base-url', testbed.proxy.baseUrl];
      return run(process.execPath, line, { cwd: testbed.folder, env });
    };
    const reason = `This client (0.0.9) is too old for the service, which needs ${version} or newer.`;

    const nextAction = () =>
      `Install the client of the service: npm install --global ${testbed.hostingUrl}/deckhost.tgz`;

    test('says so, in doctor as a failure, with the command that installs the right one', async () => {
      const { stdout, stderr } = await oldDeck('--version');
      expect([stdout, stderr]).toEqual([words('0.0.9\n'), words(`${reason} ${nextAction()}`)]);
      const doctor = await oldDeck('doctor', '--json');
      expect([doctor.code, JSON.parse(doctor.stdout)]).toMatchObject([1, { error: { code: 'client-too-old' } }]);
    });

    test('says so after a call that the service did not understand, and once before a push, which goes on', async () => {
      const folder = await testbed.aFolder({ 'index.html': '<title>Old</title>' });
      const push = ['push', folder, '--no-pictures', '--json'];
      const refused = await oldDeck(...push, '--message', 'x'.repeat(10_000));
      const error = { code: 'invalid-argument', message: words(reason), nextAction: nextAction() };
      expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([1, { error }]);
      const pushed = await oldDeck(...push);
      const warnings = [{ code: 'client-too-old', message: `${reason} ${nextAction()}` }];
      expect([pushed.code, JSON.parse(pushed.stdout)]).toMatchObject([0, { status: 'pushed', warnings }]);
    });
  });

  describe('deck doctor', () => {
    type Checks = { name: string; state: string; message: string }[];
    type Document = { checks?: Checks; error?: { code: string; details: { checks?: Checks } } };
    const doctor = async (env: NodeJS.ProcessEnv = {}, by = computer) => {
      const { code, json } = await by.deck(['doctor', '--json'], env);
      const { error, ...document } = json<Document>();
      const checks = document.checks ?? error?.details.checks ?? [];
      const stateOf = (name: string) => checks.find((check) => check.name === name)?.state;
      return { code, checks, error: error?.code, stateOf };
    };

    test('finds nothing wrong on a computer where all is well', async () => {
      // The program that stands for the browser is none.
      const { code, checks, stateOf } = await doctor({ CHROME_PATH: process.execPath });
      expect([code, stateOf('browser')]).toEqual([0, 'warning']);
      expect(checks.filter(({ name, state }) => name !== 'browser' && state !== 'ok')).toEqual([]);
      const names = ['client', 'config', 'address', 'connection', 'clock', 'versions', 'key', 'scopes', 'expiry'];
      expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    });

    test('ends with 3 without a valid key, and with 4 when nothing or another server answers', async () => {
      expect(await doctor({}, testbed.aComputer())).toMatchObject({ code: 3, error: 'not-signed-in' });
      for (const [code, error, env] of [
        [3, 'unauthenticated', { DECK_API_KEY: `pres_${'x'.repeat(40)}` }],
        [4, 'unreachable', { DECK_BASE_URL: 'http://127.0.0.1:9' }],
        [4, 'unexpected-answer', { DECK_BASE_URL: testbed.hostingUrl }],
      ] as const)
        expect(await doctor(env)).toMatchObject({ code, error });
    });

    test('names the checks that failed in its last line', async () => {
      const { stderr } = await computer.deck(['doctor'], { DECK_BASE_URL: testbed.hostingUrl, DECK_API_KEY: 'a b' });
      expect(stderr).toContain('✗ 2 checks failed: service and key.\n');
    });

    test('takes a key with a line break at its end, and says what is wrong with one that has it elsewhere', async () => {
      const key = await computer.key();
      expect(await doctor({ DECK_API_KEY: `${key}\n` })).toMatchObject({ code: 0 });
      const { code, checks } = await doctor({ DECK_API_KEY: `${key}\n${key}` });
      const message = expect.stringContaining('has a space, a line break') as string;
      expect([code, checks.find(({ name }) => name === 'key')]).toMatchObject([3, { state: 'failed', message }]);
    });

    test('warns about keys that others may read, about a proxy and about a wrong clock', async () => {
      await chmod(join(computer.configFolder, 'deck'), 0o755);
      const { code, stateOf } = await doctor({ HTTPS_PROXY: 'http://proxy.example.com' });
      expect([code, stateOf('config'), stateOf('proxy')]).toEqual([0, 'warning', 'warning']);
      const clock = join(testbed.folder, 'clock.cjs');
      await writeFile(clock, 'const { now } = Date; Date.now = () => now() + 3_600_000;');
      expect((await doctor({ NODE_OPTIONS: `--require ${clock}` })).stateOf('clock')).toBe('warning');
    });
  });
}
