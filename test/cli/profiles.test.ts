import { DEFAULT_BASE_URL } from '../../cli/src/base-url';
import { newProfileName } from '../../cli/src/profiles';
import { type Computer, type Ended, type Testbed, withTestbed } from './testbed';

let testbed: Testbed;
withTestbed((made) => ({ testbed } = made));

interface Failed {
  exitCode: number;
  error: { code: string; message: string; nextAction: string };
}
interface Who {
  email: string;
  profile: string;
  baseUrl: string;
  source: string;
}

/** Runs a command where the environment names no service. */
const bare = (computer: Computer, args: string[], env: NodeJS.ProcessEnv = {}) =>
  computer.deck([...args, '--json'], { DECK_BASE_URL: undefined, ...env });

async function signUp(computer: Computer, email: string, ...options: string[]): Promise<Ended> {
  await bare(computer, ['signup', '--email', email, ...options]);
  const code = ['--code', await testbed.newestCode(email), '--first-name', 'Ada'];
  const ended = await bare(computer, ['signup', '--email', email, ...code, ...options]);
  if (ended.code !== 0) throw new Error(ended.stdout);
  return ended;
}

const who = async (computer: Computer, args: string[] = [], env: NodeJS.ProcessEnv = {}) =>
  (await bare(computer, ['whoami', ...args], env)).json<Who>();

/** A computer with two accounts: `ada` at the proxy, which is the current profile, and `bob` past the proxy. */
async function twoAccounts(): Promise<{ computer: Computer; ada: string; bob: string }> {
  const computer = testbed.aComputer();
  const [ada, bob] = [testbed.anEmail(), testbed.anEmail()];
  await signUp(computer, ada, '--profile', 'ada', '--base-url', testbed.proxy.baseUrl);
  await signUp(computer, bob, '--profile', 'bob', '--base-url', testbed.baseUrl);
  return { computer, ada, bob };
}

describe('profiles', () => {
  test('hold several accounts side by side; the first is the current one until another is chosen', async () => {
    const { computer, ada, bob } = await twoAccounts();
    expect(await who(computer)).toMatchObject({ profile: 'ada', email: ada, baseUrl: testbed.proxy.baseUrl });
    const { profiles } = (await bare(computer, ['profiles'])).json<{ profiles: object[] }>();
    expect(profiles).toMatchObject([
      { name: 'ada', email: ada, current: true },
      { name: 'bob', email: bob, current: false, baseUrl: testbed.baseUrl },
    ]);
    expect((await bare(computer, ['profiles', 'use', 'bob'])).code).toBe(0);
    expect(await who(computer)).toMatchObject({ profile: 'bob', email: bob, baseUrl: testbed.baseUrl });
    const text = await computer.deck(['profiles'], { DECK_BASE_URL: undefined });
    expect(text.stdout).toContain(`* bob  ${bob}  ${testbed.baseUrl}\n`);
    expect(text.stdout).toContain(`  ada  ${ada}  ${testbed.proxy.baseUrl}\n`);
  });

  test('are chosen by --base-url, --profile, DECK_BASE_URL, DECK_PROFILE and the folder, in this order', async () => {
    const { computer } = await twoAccounts();
    const [atAda, atBob] = [testbed.proxy.baseUrl, testbed.baseUrl];
    const profileOf = async (args: string[], env: NodeJS.ProcessEnv) => (await who(computer, args, env)).profile;
    expect(await profileOf(['--base-url', atBob], { DECK_BASE_URL: atAda, DECK_PROFILE: 'ada' })).toBe('bob');
    expect(await profileOf(['--profile', 'bob'], { DECK_BASE_URL: atAda, DECK_PROFILE: 'ada' })).toBe('bob');
    expect(await profileOf([], { DECK_BASE_URL: atBob, DECK_PROFILE: 'ada' })).toBe('bob');
    expect(await profileOf([], { DECK_PROFILE: 'bob' })).toBe('bob');

    const folder = await testbed.aFolder({ 'index.html': '<title>Bob</title>' });
    expect((await bare(computer, ['push', folder, '--profile', 'bob'])).code).toBe(0);
    // The folder names the service of bob, and the current profile is ada.
    expect((await bare(computer, ['push', folder])).json()).toMatchObject({ status: 'unchanged' });
    const elsewhere = (await bare(computer, ['push', folder], { DECK_PROFILE: 'ada' })).json<Failed>();
    expect(elsewhere.error.code).toBe('other-service');
    expect(elsewhere.error.nextAction).toContain(`deck push ${folder} --base-url ${atBob}`);
    const named = (await bare(computer, ['push', folder, '--profile', 'ada'])).json<Failed>();
    expect(named.error.nextAction).toContain(`deck push ${folder} --base-url ${atBob} --profile bob`);
  });

  test('that do not exist, or are at another address than --base-url, are usage errors', async () => {
    const { computer } = await twoAccounts();
    const absent = (await bare(computer, ['whoami', '--profile', 'eve'])).json<Failed>();
    expect(absent).toMatchObject({ exitCode: 2, error: { code: 'usage', nextAction: 'There are: ada, bob' } });
    const args = ['whoami', '--profile', 'bob', '--base-url', testbed.proxy.baseUrl];
    expect((await bare(computer, args)).json<Failed>().exitCode).toBe(2);
    const path = (await bare(computer, ['login', '--profile', '../up', '--email', 'a@b.c'])).json<Failed>();
    expect(path).toMatchObject({ exitCode: 2, error: { message: '"../up" is not a name for a profile.' } });
  });

  test('end one by one: logout keeps the name and the address, remove deletes the profile', async () => {
    const { computer, bob } = await twoAccounts();
    const key = await computer.key();
    const forgotten = { forgotten: true, revoked: true, profile: 'ada' };
    expect((await bare(computer, ['logout'])).json()).toMatchObject(forgotten);
    expect((await bare(computer, ['whoami'])).json<Failed>()).toMatchObject({ exitCode: 3 });
    const revoked = await bare(computer, ['whoami', '--base-url', testbed.proxy.baseUrl], { DECK_API_KEY: key });
    expect(revoked.json<Failed>().error.code).toBe('unauthenticated');
    expect(await who(computer, ['--profile', 'bob'])).toMatchObject({ email: bob });
    expect((await bare(computer, ['profiles', 'remove', 'bob'])).json()).toMatchObject({ revoked: true });
    expect((await bare(computer, ['profiles'])).json()).toMatchObject({ profiles: [{ name: 'ada', current: true }] });
  });

  test('get their name from the host of a new service', async () => {
    const computer = testbed.aComputer();
    const signup = await signUp(computer, testbed.anEmail(), '--base-url', testbed.proxy.baseUrl);
    const name = new URL(testbed.proxy.baseUrl).host.replace(':', '-');
    expect(signup.json()).toMatchObject({ profile: name });
    expect(await who(computer)).toMatchObject({ profile: name });
    expect(newProfileName(DEFAULT_BASE_URL, [])).toBe('local');
    expect(newProfileName('https://decks.example/b', ['decks.example'])).toBe('decks.example-2');
  });
});

describe('DECK_API_KEY', () => {
  async function aFolderAt(baseUrl: string): Promise<string> {
    const deckFile = { presentationId: 'x', baseUrl, version: 1, entryPath: 'index.html' };
    return testbed.aFolder({ 'index.html': '', '.deck.json': JSON.stringify(deckFile) });
  }

  test('is used where the folder names the current service, and not replaced by the stored key', async () => {
    const { computer, ada } = await twoAccounts();
    const other = await testbed.aSignedInComputer();
    const folder = await testbed.aFolder({ 'index.html': '<title>x</title>' });
    const env = { DECK_API_KEY: await other.key() };
    const { presentationId } = (await bare(computer, ['push', folder], env)).json<{ presentationId: string }>();
    // Each command says which of the two keys it uses.
    const message = expect.stringContaining(`not that of the profile ada (${ada})`) as string;
    expect((await bare(computer, ['push', folder], env)).json()).toMatchObject({
      status: 'unchanged',
      warnings: [{ code: 'key-of-environment', message }],
    });
    const own = (await bare(computer, ['whoami'], { DECK_API_KEY: await computer.key() })).json();
    expect(own).not.toHaveProperty('warnings');
    expect((await other.deck(['list', '--json'])).json()).toMatchObject({ decks: [{ id: presentationId }] });
    // The key of the profile belongs to another account.
    expect((await bare(computer, ['push', folder])).json<Failed>().exitCode).toBe(3);
  });

  test('is refused at another address of the folder, also where a key is stored, and tells what to do', async () => {
    const { computer } = await twoAccounts();
    for (const [by, baseUrl] of [
      [computer, testbed.baseUrl],
      [computer, 'https://stranger.example'],
      [testbed.aComputer(), testbed.proxy.baseUrl],
    ] as const) {
      testbed.proxy.reset();
      const refused = await bare(by, ['push', await aFolderAt(baseUrl)], { DECK_API_KEY: 'cko_secret' });
      const { exitCode, error } = refused.json<Failed>();
      expect({ exitCode, code: error.code }).toEqual({ exitCode: 3, code: 'not-signed-in' });
      expect(error.message).toContain(`DECK_API_KEY is not sent to ${baseUrl}`);
      expect(error.nextAction).toContain(`--base-url ${baseUrl}`);
      expect(testbed.proxy.calls).toEqual({});
    }
  });

  test('gives way to the profile that --profile names', async () => {
    const { computer, bob } = await twoAccounts();
    const env = { DECK_API_KEY: 'cko_other' };
    expect(await who(computer, ['--profile', 'bob'], env)).toMatchObject({ email: bob });
  });
});
