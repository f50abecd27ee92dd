import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { inFields, OPERAND, toolCall } from '../../cli/src/mcp/command-form';
import { allTools as tools } from '../../cli/src/mcp/server';
import { deckTools } from '../../cli/src/mcp/tools/decks';
import { each } from '../support/each';
import { shown, testbed, withTestbed, words } from './testbed';

withTestbed();

const deckPath = resolve(__dirname, '../../cli/dist/deck.js');
const ABSENT = '018f0000-0000-7000-8000-000000000000';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Answer = Record<string, any>;

/** An agent's program that has started `deck mcp`. */
class Agent {
  readonly called = new Set<string>();

  private constructor(readonly client: Client) {}

  /** Starts `deck mcp` on a computer with this config folder, and opens the folders `roots` for it. */
  static async start(config: string, roots?: readonly string[]): Promise<Agent> {
    const { PATH = '' } = process.env;
    const env = { PATH, HOME: home, XDG_CONFIG_HOME: join(home, config), DECK_BASE_URL: testbed.proxy.baseUrl };
    const transport = new StdioClientTransport({ command: process.execPath, args: [deckPath, 'mcp'], env, cwd: home });
    const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: roots ? { roots: {} } : {} });
    const opened = { roots: (roots ?? []).map((path) => ({ uri: pathToFileURL(path).href })) };
    if (roots) client.setRequestHandler(ListRootsRequestSchema, () => opened);
    await client.connect(transport);
    clients.push(client);
    return new Agent(client);
  }

  /** The structured result of a tool. Throws its error. */
  async call(name: string, input: object = {}): Promise<Answer> {
    const { isError, structuredContent, content } = await this.result(name, input);
    if (isError) throw new Error(content[0].text);
    expect(JSON.parse(content[0].text)).toEqual(structuredContent);
    this.called.add(name);
    return structuredContent;
  }

  /** The error of a tool. */
  async refusal(name: string, input: object = {}): Promise<Answer> {
    return JSON.parse(await this.wrongUse(name, input));
  }

  /** The text about an input that the tool does not take. */
  async wrongUse(name: string, input: object): Promise<string> {
    const { isError, content } = await this.result(name, input);
    expect([name, isError]).toEqual([name, true]);
    return content[0].text;
  }

  async result(name: string, input: object): Promise<Answer> {
    return this.client.callTool({ name, arguments: { ...input } });
  }

  async resource(uri: string): Promise<Answer> {
    const { contents } = await this.client.readResource({ uri });
    return JSON.parse((contents[0] as { text: string }).text);
  }

  async signIn(request: { purpose: string; email: string; publish?: true }, given: object = {}): Promise<Answer> {
    await this.call('request_sign_in_code', request);
    return this.call('complete_sign_in', { code: await testbed.newestCode(request.email), ...given });
  }
}

const clients: Client[] = [];
let home: string;
/** May publish. */
let ada: Agent;
let folder: string;
let pushed: Answer;
const pushFolder = (input: object) => ada.call('push_folder', { ...input, pictures: false });

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'deck-mcp-'));
  ada = await Agent.start('ada');
  const email = testbed.anEmail();
  await ada.signIn({ purpose: 'signup', email }, { firstName: 'Ada' });
  await testbed.later(31);
  await ada.signIn({ purpose: 'login', email, publish: true });
  folder = await testbed.aFolder({ 'index.html': '<title>Talk</title><h1>One</h1>', 'style.css': 'h1 {}' });
  pushed = await pushFolder({ folder });
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await rm(home, { recursive: true, force: true });
});

/** The options that a field stands for. */
const wordsOf = (word: string | Readonly<Record<string, string>>): string[] =>
  typeof word === 'string' ? [word] : Object.values(word);

describe('the tools', () => {
  test('are described in 20 KB: their schemas, what they change, and that destructive ones are confirmed', async () => {
    const { tools } = await ada.client.listTools();
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(20_000);
    for (const { description, inputSchema } of each(tools)) {
      expect(description!.length).toBeGreaterThan(20);
      expect(inputSchema).toMatchObject({ type: 'object', properties: expect.any(Object) as object });
    }
    // Without a hint a program assumes a tool that changes and destroys.
    const namesOf = (wanted: (hints: NonNullable<(typeof tools)[number]['annotations']>) => boolean) =>
      tools.filter(({ annotations = {} }) => wanted(annotations)).map(({ name }) => name);
    const isDestructive = { readOnlyHint: false, destructiveHint: true };
    // These only add something. Every other tool that changes, mails or publishes is one that a program asks for.
    const additive = ['add_link', 'remix_listing', 'star_listing', 'request_sign_in_code'];
    expect(namesOf(({ readOnlyHint, destructiveHint }) => !readOnlyHint && destructiveHint === false)).toEqual(
      additive,
    );
    const destructive = namesOf((hints) => {
      const { readOnlyHint, destructiveHint } = { ...isDestructive, ...hints };
      return !readOnlyHint && destructiveHint;
    });
    expect(destructive.join(' ')).toBe(
      'push_deck push_folder rename_deck pull_deck delete_deck pin_link set_link revoke_link revoke_all_links ' +
        'email_deck set_expiry set_tracking restore_version invite_collaborator remove_collaborator leave_deck publish_deck ' +
        'unpublish_listing report_listing complete_sign_in',
    );
    const prompts = (await ada.client.listPrompts()).prompts.map(({ name }) => name);
    const { messages } = await ada.client.getPrompt({ name: 'publish_folder', arguments: { folder: '/talks/one' } });
    expect([prompts, messages[0]!.content]).toMatchObject([['publish_folder'], { text: words('"/talks/one"') }]);
  });

  test('name commands of the client, and options that these commands have', async () => {
    for (const [name, { commands }] of each(tools)) {
      // `deck keys` runs `deck keys list`.
      const paths = commands.map(({ path }) => (path === 'keys' ? 'keys list' : path));
      const helps = await Promise.all(paths.map((path) => shown(...path.split(' '), '--help')));
      expect({ name, helps }).toEqual({ name, helps: paths.map((path) => words(`Usage: deck ${path} `)) });
      for (const [index, { takes, always = [] }] of each(commands.entries())) {
        const options = [...always, ...Object.values(takes)].flatMap(wordsOf);
        const isUnknown = (option: string) => !new RegExp(`^ +(-\\w, )?--${option}\\b`, 'm').test(helps[index]!);
        const unknown = options.filter((word) => word !== OPERAND && isUnknown(word));
        expect({ name, unknown }).toEqual({ name, unknown: [] });
      }
    }
  });

  // endpoints/mcp.test.ts has the work of the tools that need no computer.
  test('work in the folders of the computer', async () => {
    const { presentationId: deck } = pushed;
    expect(pushed).toMatchObject({ status: 'pushed', version: 1, uploaded: { files: 2 } });
    // An agent that copies a folder does not change its deck, until it names the deck.
    const files = { 'index.html': '<title>Talk</title><h1>Two</h1>', 'style.css': 'h1 {}' };
    const deckFile = await readFile(join(folder, '.deck.json'), 'utf8');
    const copy = { folder: await testbed.aFolder({ ...files, '.deck.json': deckFile }), pictures: false };
    const plan = { status: 'planned', version: 2, toUpload: { files: 1 } };
    expect(await ada.call('push_folder', { ...copy, dryRun: true })).toMatchObject(plan);
    expect(await ada.refusal('push_folder', copy)).toMatchObject({ code: 'unknown-folder' });
    expect(await ada.call('push_folder', { ...copy, deck })).toMatchObject({ version: 2 });

    // What looks like a secret needs a yes.
    const folder2 = await testbed.aFolder({ 'index.html': 'x', 'tls.pem': 'x' });
    const secrets = await ada.refusal('push_folder', { folder: folder2 });
    expect(secrets).toMatchObject({ code: 'secrets', nextAction: expect.stringContaining('allowSecrets') as string });
    expect(await pushFolder({ folder: folder2, allowSecrets: true })).toMatchObject({ version: 1 });

    const download = join(home, 'download');
    expect(await ada.call('pull_deck', { deck, folder: download })).toMatchObject({ status: 'pulled' });
    const dry = { deck: download, dryRun: true, prefer: 'mine' };
    expect(await ada.call('pull_deck', dry)).toMatchObject({ status: 'planned' });

    const { slug } = await ada.call('publish_deck', {
      deck: folder,
      title: 'Waves',
      description: 'A talk about waves',
    });
    expect(await ada.resource(`listing://${slug}`)).toMatchObject({ slug, title: 'Waves' });
    const remix = { slug, folder: join(home, 'remix'), title: 'Tides' };
    expect(await ada.call('remix_listing', remix)).toMatchObject({ status: 'remixed', title: 'Tides' });
    // A folder with the name of the slug is not meant.
    await ada.call('pull_deck', { deck, folder: join(home, String(slug)) });
    expect(await ada.call('unpublish_listing', { slug })).toMatchObject({ status: 'unlisted', slug });
    expect(await ada.call('delete_deck', { deck: remix.folder, title: 'Tides' })).toMatchObject({ status: 'deleted' });
    await expect(readFile(join(remix.folder, '.deck.json'))).rejects.toMatchObject({ code: 'ENOENT' });

    expect(await ada.call('whoami')).toMatchObject({ baseUrl: testbed.proxy.baseUrl });
    expect((await ada.call('list_profiles')).profiles).toMatchObject([{ current: true }]);
    const { checks } = await ada.call('doctor');
    expect(checks.find(({ name }: Answer) => name === 'key')).toMatchObject({ state: 'ok' });
    const ofComputer = [...tools].filter(([, { needsComputer }]) => needsComputer).map(([name]) => name);
    expect(ofComputer.filter((name) => !ada.called.has(name))).toEqual([]);
    expect(ofComputer.length).toBeGreaterThan(5);
  });

  test('tell the progress of a push, and a cancelled push makes no deck', async () => {
    // So small that the proxy has received all of it, and sees the end of the connection.
    const params = { name: 'push_folder', arguments: { folder: await testbed.aFolder({ 'index.html': 'x' }) } };
    const decks = async () => (await ada.call('list_decks')).decks.length;
    const before = await decks();
    const stop = new AbortController();
    const isClosed = new Promise((resolve) => {
      testbed.proxy.watch = async ({ name }, response) => {
        if (name !== 'uploadPresentationAssets') return 'forward';
        stop.abort();
        resolve(await once(response, 'close'));
        return 'answered';
      };
    });
    await expect(ada.client.callTool(params, undefined, { signal: stop.signal })).rejects.toThrow();
    // The server has ended the request.
    await isClosed;
    testbed.proxy.reset();
    expect(await decks()).toBe(before);

    const seen: { progress: number; total?: number | undefined }[] = [];
    await ada.client.callTool(params, undefined, { onprogress: (progress) => seen.push(progress) });
    expect(seen.at(-1)).toMatchObject({ progress: seen.at(-1)!.total });
  });

  test('refuse wrong input and a deck that does not exist', async () => {
    expect(await ada.wrongUse('push_folder', { folder: 'talk' })).toContain('absolute');
    expect(await ada.wrongUse('deck_info', { deck: 'talk' })).toContain('an absolute path');
    await ada.wrongUse('list_decks', { page: 1 });
    await expect(ada.resource('deck://talk')).rejects.toThrow('not the id');
    expect(await ada.refusal('deck_info', { deck: ABSENT })).toMatchObject({ code: 'not-found' });
    expect(await ada.refusal('diff_versions', { deck: folder, to: 1 })).toMatchObject({ code: 'usage' });
  });

  test('read and write only below the folders that the program of the agent has opened', async () => {
    const open = join(home, 'open');
    await mkdir(open);
    await writeFile(join(open, 'index.html'), '<title>Open</title>');
    const limited = await Agent.start('ada', [open]);
    const { presentationId: deck } = await limited.call('push_folder', { folder: open, pictures: false });
    const secret = await testbed.aFolder({ 'index.html': 'secret' });
    await symlink(secret, join(open, 'link'));
    for (const [name, input] of [
      ['push_folder', { folder: secret }],
      ['push_folder', { folder: join(open, 'link') }],
      ['deck_info', { deck: folder }],
      ['pull_deck', { deck, folder: join(open, '..', 'beside') }],
      ['pull_deck', { deck, folder: join(open, 'link', 'new') }],
    ] as const)
      expect(await limited.refusal(name, input)).toMatchObject({ code: 'outside-roots', nextAction: words(open) });
    expect(await limited.call('pull_deck', { deck, folder: join(open, 'new', 'copy') })).toBeDefined();
    expect(await limited.call('deck_info', { deck: open })).toMatchObject({ title: 'Open' });
    const unlimited = await Agent.start('ada', []);
    expect(await unlimited.call('deck_info', { deck: folder })).toMatchObject({ title: 'Talk' });
  });
});

test('an agent signs in with a mailed code, and replaces the account of the computer only when that is confirmed', async () => {
  const bo = await Agent.start('bo');
  const [own, other] = [testbed.anEmail(), testbed.anEmail()];
  const wrong = { code: '000000', firstName: 'Bo' };
  const [login, signup] = ['login', 'signup'].map((purpose) => `\`request_sign_in_code (purpose: "${purpose}")\``);
  const nextAction = `Run ${login}, or ${signup} if you do not have an account yet.`;
  expect(await bo.refusal('whoami')).toMatchObject({ code: 'not-signed-in', nextAction });
  expect(await bo.refusal('complete_sign_in', wrong)).toMatchObject({ code: 'no-code-requested' });
  const sent = await bo.call('request_sign_in_code', { purpose: 'signup', email: own });
  expect(sent).toMatchObject({ status: 'code-sent', nextAction: words('complete_sign_in') });
  const again = await bo.refusal('request_sign_in_code', { purpose: 'signup', email: own });
  expect(again['nextAction']).toContain('complete_sign_in (code: <code>, firstName: <name>)');
  expect(await bo.refusal('complete_sign_in', wrong)).toMatchObject({ code: 'OTP_INVALID' });
  const code = await testbed.newestCode(own);
  expect(await bo.refusal('complete_sign_in', { code })).toMatchObject({ nextAction: 'Pass it with firstName.' });
  const publish = { purpose: 'signup', email: own, publish: true };
  expect((await bo.refusal('request_sign_in_code', publish))['message']).toBe('publish is for a login.');
  const revoke = { ...wrong, code, revoke: 'cko_XXXX' };
  expect((await bo.refusal('complete_sign_in', revoke))['message']).toContain('revoke is for a login');
  const account = await bo.call('complete_sign_in', { ...wrong, code });
  expect(account).toMatchObject({ status: 'signed-in', email: own });
  expect(JSON.stringify(account)).not.toContain('"raw"');

  const keyOf = async () => (await bo.call('whoami'))['keyPrefix'] as string;
  const key = await keyOf();
  await bo.call('request_sign_in_code', { purpose: 'signup', email: other });
  const given = { code: await testbed.newestCode(other), firstName: 'Eve' };
  await bo.wrongUse('complete_sign_in', { ...given, email: other });
  const message = words(`as ${own}, and ${other}`);
  expect(await bo.refusal('complete_sign_in', given)).toMatchObject({ code: 'not-confirmed', message });
  expect(await keyOf()).toBe(key);
  expect(await bo.call('complete_sign_in', { ...given, confirm: true })).toMatchObject({ email: other });
  expect(await keyOf()).not.toBe(key);
});

describe('hints name tools with their fields, and no command or option of the terminal', () => {
  test.each([
    ['login', 'request_sign_in_code (purpose: "login")'],
    ['login --email a@example.com --code <code>', 'complete_sign_in (code: <code>)'],
    ['signup --code <code> --first-name <name>', 'complete_sign_in (code: <code>, firstName: <name>)'],
    ['login --publish', 'request_sign_in_code (purpose: "login", publish: true)'],
    ['links --deck /talk', 'list_links (deck: "/talk")'],
    ['links revoke --all --yes --deck /talk', 'revoke_all_links (deck: "/talk")'],
    ['push --deck <id> --allow-secrets', 'push_deck (deck: <id>, allowSecrets: true)'],
    ['push /talk --force', 'push_folder (folder: "/talk", overwrite: true)'],
    ['pull /talk --theirs', 'pull_deck (deck: "/talk", prefer: "theirs")'],
    ['restore 1 --deck /talk', 'restore_version (version: 1, deck: "/talk")'],
    ['unstar waves', 'star_listing (star: false, slug: "waves")'],
    ['logout', undefined],
  ])('deck %s is %s', (command, call) => {
    expect(toolCall(tools, command.split(' '))).toBe(call);
  });

  test('also in texts about options', () => {
    const { push_folder: push } = deckTools;
    expect(inFields('Name it with --entry, such as: --entry a.html', push)).toBe(
      'Name it with entry, such as: entry a.html',
    );
    expect(inFields('Pass --no-pictures.', push)).toBe('Pass pictures: false.');
    expect(inFields('Pass --profile.', push)).toContain('options of `deck mcp`, which the user starts or configures');
  });
});
