import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Testbed } from './testbed';

const deckPath = resolve(__dirname, '../../cli/dist/deck.js');
const ABSENT = '018f0000-0000-7000-8000-000000000000';

// The client of the SDK checks the answers against the schemas of the tools.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Answer = Record<string, any>;

describe('deck mcp', () => {
  let testbed: Testbed;
  let home: string;
  const clients: Client[] = [];

  /** A client of the SDK that has started `deck mcp` on a computer with this config folder. */
  async function connect(config: string, roots?: readonly string[]): Promise<Client> {
    const { PATH = '' } = process.env;
    const env = { PATH, HOME: home, XDG_CONFIG_HOME: join(home, config), DECK_BASE_URL: testbed.proxy.baseUrl };
    const transport = new StdioClientTransport({ command: process.execPath, args: [deckPath, 'mcp'], env });
    const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: roots ? { roots: {} } : {} });
    if (roots)
      client.setRequestHandler(ListRootsRequestSchema, () => ({
        roots: roots.map((path) => ({ uri: pathToFileURL(path).href })),
      }));
    await client.connect(transport);
    // The client checks every answer against the schema of its tool, once it knows the tools.
    await client.listTools();
    clients.push(client);
    return client;
  }

  /** The structured result of a tool. Throws its error. */
  async function call(client: Client, name: string, input: object = {}): Promise<Answer> {
    const { isError, structuredContent, content } = (await client.callTool({
      name,
      arguments: { ...input },
    })) as Answer;
    if (isError) throw new Error(content[0].text);
    expect(JSON.parse(content[0].text)).toEqual(structuredContent);
    return structuredContent;
  }

  /** The error of a tool. */
  async function refusal(client: Client, name: string, input: object = {}): Promise<Answer> {
    const { isError, content } = (await client.callTool({ name, arguments: { ...input } })) as Answer;
    expect(isError).toBe(true);
    return JSON.parse(content[0].text);
  }

  async function signUp(client: Client, email = testbed.anEmail()): Promise<void> {
    await call(client, 'request_sign_in_code', { purpose: 'signup', email });
    const code = await testbed.newestCode(email);
    await call(client, 'complete_sign_in', { code, firstName: 'Ada' });
  }

  let ada: Client;
  let folder: string;
  let pushed: Answer;

  beforeAll(async () => {
    testbed = await Testbed.create();
    home = await mkdtemp(join(tmpdir(), 'deck-mcp-'));
    ada = await connect('ada');
    await signUp(ada);
    folder = await testbed.aFolder({ 'index.html': '<title>Talk</title><h1>One</h1>', 'style.css': 'h1 {}' });
    pushed = await call(ada, 'push_folder', { folder, thumbnail: false });
  });
  beforeEach(() => testbed.proxy.reset());
  afterAll(async () => {
    for (const client of clients) await client.close();
    await testbed.close();
    await rm(home, { recursive: true, force: true });
  });

  const statusOf = async (url: string) => (await fetch(url)).status;

  test('describes every tool: its schemas, what it changes, and that destructive ones are confirmed', async () => {
    const { tools } = await ada.listTools();
    expect(tools.length).toBeGreaterThan(30);
    for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
      expect(description!.length).toBeGreaterThan(20);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations!;
      expect([readOnlyHint, destructiveHint, idempotentHint, openWorldHint].map((hint) => typeof hint)).toEqual(
        Array(4).fill('boolean'),
      );
      expect({ name, contradiction: readOnlyHint && destructiveHint }).toEqual({ name, contradiction: false });
    }
    const namesOf = (wanted: (hints: NonNullable<(typeof tools)[number]['annotations']>) => boolean) =>
      tools.filter(({ annotations }) => wanted(annotations!)).map(({ name }) => name);
    // These only add something. Every other tool that changes, mails or publishes is one that a program asks for.
    const additive = ['add_link', 'remix_listing', 'star_listing', 'request_sign_in_code'];
    expect(namesOf(({ readOnlyHint, destructiveHint }) => !readOnlyHint && !destructiveHint)).toEqual(additive);
    expect(namesOf(({ destructiveHint }) => destructiveHint!).join(' ')).toBe(
      'push_folder rename_deck pull_deck delete_deck pin_link follow_link rename_link revoke_link revoke_all_links ' +
        'email_deck set_expiry restore_version invite_collaborator remove_collaborator leave_deck publish_deck ' +
        'unpublish_listing report_listing complete_sign_in',
    );
    expect(namesOf(({ openWorldHint }) => !openWorldHint!)).toEqual([]);
  });

  test('signs in with a mailed code, and says before that nobody is signed in', async () => {
    const bo = await connect('bo');
    expect(await refusal(bo, 'whoami')).toMatchObject({ code: 'not-signed-in' });
    const noCode = { code: '000000', firstName: 'Bo' };
    expect(await refusal(bo, 'complete_sign_in', noCode)).toMatchObject({ code: 'no-code-requested' });
    const email = testbed.anEmail();
    const sent = await call(bo, 'request_sign_in_code', { purpose: 'signup', email });
    expect(sent).toMatchObject({ status: 'code-sent', nextAction: expect.stringContaining('complete_sign_in') });
    const wrong = noCode;
    expect(await refusal(bo, 'complete_sign_in', wrong)).toMatchObject({ code: 'OTP_INVALID' });
    const code = await testbed.newestCode(email);
    const account = await call(bo, 'complete_sign_in', { ...wrong, code });
    expect(account).toMatchObject({ status: 'signed-in', email });
    expect(JSON.stringify(account)).not.toContain('"raw"');
    expect(await call(bo, 'whoami')).toMatchObject({ baseUrl: testbed.proxy.baseUrl });
    expect(await call(bo, 'usage')).toMatchObject({ plan: 'free' });
    expect(await call(bo, 'account')).toMatchObject({ user: { email }, organization: { plan: 'free' } });
  });

  test('replaces the account of the computer only when that is confirmed, and takes the address only once', async () => {
    const cleo = await connect('cleo');
    const [own, other] = [testbed.anEmail(), testbed.anEmail()];
    await signUp(cleo, own);
    const keyOf = async () => (await call(cleo, 'whoami'))['keyPrefix'] as string;
    const key = await keyOf();
    await call(cleo, 'request_sign_in_code', { purpose: 'signup', email: other });
    const given = { code: await testbed.newestCode(other), firstName: 'Eve' };
    const named = (await cleo.callTool({ name: 'complete_sign_in', arguments: { ...given, email: other } })) as Answer;
    expect(named['isError']).toBe(true);
    const refused = await refusal(cleo, 'complete_sign_in', given);
    expect(refused).toMatchObject({
      code: 'not-confirmed',
      message: expect.stringContaining(`as ${own}, and ${other}`),
    });
    expect(await keyOf()).toBe(key);
    expect(await call(cleo, 'complete_sign_in', { ...given, confirm: true })).toMatchObject({ email: other });
    expect(await keyOf()).not.toBe(key);
  });

  test('pushes a folder, shows it as a tool and as a resource, and pushes the change as a new version', async () => {
    const { presentationId, shareUrl } = pushed;
    expect(pushed).toMatchObject({ status: 'pushed', version: 1, uploaded: { files: 2 } });
    expect(await statusOf(shareUrl)).toBe(200);
    expect((await call(ada, 'list_decks')).decks).toMatchObject([{ id: presentationId, title: 'Talk' }]);
    const { resources } = await ada.listResources();
    expect(resources).toMatchObject([{ uri: `deck://${presentationId}`, title: 'Talk' }]);
    const { contents } = await ada.readResource({ uri: resources[0]!.uri });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ id: presentationId, title: 'Talk' });

    const changed = await testbed.aFolder({
      'index.html': '<title>Talk</title><h1>Two</h1>',
      'style.css': 'h1 {}',
      '.deck.json': await readFile(join(folder, '.deck.json'), 'utf8'),
    });
    const planned = await call(ada, 'push_folder', { folder: changed, dryRun: true, thumbnail: false });
    expect(planned).toMatchObject({ status: 'planned', version: 2, toUpload: { files: 1 } });
    const copy = { folder: changed, thumbnail: false };
    expect(await refusal(ada, 'push_folder', copy)).toMatchObject({ code: 'unknown-folder' });
    expect(await call(ada, 'push_folder', { ...copy, deck: presentationId })).toMatchObject({ version: 2 });
    const { versions } = await call(ada, 'list_versions', { deck: presentationId });
    expect(versions.map(({ version }: Answer) => version)).toEqual([2, 1]);
    expect(await call(ada, 'diff_versions', { deck: presentationId, from: 1 })).toBeDefined();
    expect(await call(ada, 'restore_version', { deck: presentationId, version: 1 })).toMatchObject({ version: 3 });
  });

  test('gives out a link that is pinned, revoked alone or with all, and has a name like an option', async () => {
    const deck = pushed['presentationId'];
    const { link } = await call(ada, 'add_link', { deck, name: '--all', version: 1 });
    expect(link).toMatchObject({ name: '--all', pinnedVersion: 1 });
    expect(await call(ada, 'pin_link', { deck, link: '--all', version: 2 })).toMatchObject({ link: { id: link.id } });
    expect(await statusOf(link.shareUrl)).toBe(200);
    await call(ada, 'follow_link', { deck, link: link.id });
    await call(ada, 'revoke_link', { deck, link: '--all' });
    expect([await statusOf(link.shareUrl), await statusOf(pushed['shareUrl'])]).toEqual([403, 200]);
    const { links } = await call(ada, 'list_links', { deck, revoked: true });
    expect(links.map(({ name, state }: Answer) => [name, state])).toContainEqual(['--all', 'revoked']);

    const second = await testbed.aFolder({ 'index.html': '<title>Second</title>' });
    const other = await call(ada, 'push_folder', { folder: second, thumbnail: false });
    const all = { deck: other['presentationId'] };
    const refused = (await ada.callTool({ name: 'revoke_all_links', arguments: all })) as Answer;
    expect([refused['isError'], await statusOf(other['shareUrl'])]).toEqual([true, 200]);
    expect((await call(ada, 'revoke_all_links', { ...all, confirm: true })).revoked).toHaveLength(1);
    expect(await statusOf(other['shareUrl'])).toBe(403);
    await call(ada, 'delete_deck', { ...all, title: 'Second' });
  });

  test('tells the progress of a push, and a cancelled push makes no deck', async () => {
    // So small that the proxy has received all of it, and sees the end of the connection.
    const small = await testbed.aFolder({ 'index.html': '<h1>Small</h1>' });
    const input = { folder: small, thumbnail: false };
    let isClosed: Promise<unknown> | undefined;
    const held = new Promise<void>((isHeld) => {
      testbed.proxy.watch = async ({ name }, response) => {
        if (name !== 'uploadPresentationAssets') return 'forward';
        isHeld();
        await (isClosed = once(response, 'close'));
        return 'answered';
      };
    });
    const stop = new AbortController();
    const cancelled = ada.callTool({ name: 'push_folder', arguments: input }, undefined, { signal: stop.signal });
    await held;
    stop.abort();
    await expect(cancelled).rejects.toThrow();
    // The server has ended the request.
    await isClosed;
    testbed.proxy.reset();
    expect((await call(ada, 'list_decks')).decks).toHaveLength(1);

    const seen: { progress: number; total?: number | undefined }[] = [];
    await ada.callTool({ name: 'push_folder', arguments: input }, undefined, {
      onprogress: ({ progress, total }) => seen.push({ progress, total }),
    });
    expect(seen.at(-1)).toMatchObject({ progress: seen.at(-1)!.total });
  });

  test('shares a deck with people: mails, a time of expiry, collaborators, a download', async () => {
    const deck = pushed['presentationId'];
    const [viewer, editor] = [testbed.anEmail(), testbed.anEmail()];
    expect(await call(ada, 'email_deck', { deck, addresses: [viewer], message: 'Hi' })).toMatchObject({ failed: [] });
    expect((await call(ada, 'list_mails', { deck, limit: 5 })).mails).toMatchObject([{ email: viewer }]);
    const link = await call(ada, 'rename_link', { deck, link: viewer, name: 'Viewer' });
    expect(link).toMatchObject({ link: { name: 'Viewer' } });
    const { title } = await call(ada, 'deck_info', { deck });
    for (const wanted of ['Renamed', title])
      expect(await call(ada, 'rename_deck', { deck, title: wanted })).toMatchObject({ title: wanted });
    expect((await call(ada, 'set_expiry', { deck, when: '7d' })).expiresAt).toEqual(expect.any(String));
    expect(await call(ada, 'set_expiry', { deck, when: 'never' })).toMatchObject({ expiresAt: null });

    await call(ada, 'invite_collaborator', { deck, email: editor, message: 'Please edit' });
    const guest = await connect('guest');
    await signUp(guest, editor);
    const download = join(home, 'download');
    expect(await call(guest, 'pull_deck', { deck, folder: download })).toMatchObject({ status: 'pulled' });
    expect(await call(guest, 'pull_deck', { deck: download, dryRun: true, prefer: 'mine' })).toBeDefined();
    expect(((await guest.callTool({ name: 'leave_deck', arguments: { deck } })) as Answer)['isError']).toBe(true);
    expect(await call(guest, 'leave_deck', { deck, confirm: true })).toMatchObject({ presentationId: deck });
    await call(ada, 'invite_collaborator', { deck, email: editor });
    await call(ada, 'remove_collaborator', { deck, email: editor });
    expect(await call(ada, 'list_collaborators', { deck })).toMatchObject({ presentationId: deck });
  });

  test('publishes a deck, and finds, stars, reports, remixes and unlists the listing', async () => {
    const [publisher, email] = [await connect('publisher'), testbed.anEmail()];
    await signUp(publisher, email);
    await testbed.later(31);
    await call(publisher, 'request_sign_in_code', { purpose: 'login', email });
    const login = { code: await testbed.newestCode(email), publish: true };
    await call(publisher, 'complete_sign_in', login);
    const own = await testbed.aFolder({ 'index.html': '<title>Waves</title>' });
    await call(publisher, 'push_folder', { folder: own, thumbnail: false });
    const listing = {
      description: '- a talk about waves',
      kind: 'plan',
      tags: ['sea', 'wind'],
      technologies: ['html'],
    };
    const { slug } = await call(publisher, 'publish_deck', { folder: own, ...listing });
    const { listings } = await call(ada, 'search_listings', { words: ['waves'], tag: 'wind', kind: 'plan', limit: 3 });
    expect(listings).toMatchObject([{ slug, title: 'Waves', description: listing.description }]);
    expect(await call(ada, 'read_listing', { slug })).toMatchObject({ title: 'Waves', tags: ['sea', 'wind'] });
    const { contents } = await ada.readResource({ uri: `listing://${slug}` });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ slug, kind: 'plan' });
    expect(await call(publisher, 'star_listing', { slug })).toMatchObject({ starred: true, stars: 1 });
    expect(await call(publisher, 'star_listing', { slug, star: false })).toMatchObject({ starred: false, stars: 0 });
    expect(await call(ada, 'report_listing', { slug, reason: 'other', message: '--no' })).toMatchObject({ slug });
    const remix = await call(ada, 'remix_listing', { slug, folder: join(home, 'remix'), title: 'Tides' });
    expect(remix).toMatchObject({ status: 'remixed', title: 'Tides' });
    expect(await call(ada, 'list_remixes', { slug })).toMatchObject({ slug, remixes: [], isComplete: true });
    expect(await call(publisher, 'unpublish_listing', { slug })).toMatchObject({ status: 'unlisted', slug });
  });

  test('refuses wrong input, a deck that does not exist, and a deletion without the title', async () => {
    const relative = (await ada.callTool({ name: 'push_folder', arguments: { folder: 'talk' } })) as Answer;
    expect(relative).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('absolute') }] });
    const unknown = (await ada.callTool({ name: 'list_decks', arguments: { page: 1 } })) as Answer;
    expect(unknown['isError']).toBe(true);
    const nearby = (await ada.callTool({ name: 'deck_info', arguments: { deck: 'talk' } })) as Answer;
    expect(nearby).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('an absolute path') }] });
    await expect(ada.readResource({ uri: 'deck://talk' })).rejects.toThrow('not the id');
    expect(await refusal(ada, 'deck_info', { deck: ABSENT })).toMatchObject({ code: 'not-found' });
    const deck = pushed['presentationId'];
    expect(await refusal(ada, 'delete_deck', { deck, title: 'Another' })).toMatchObject({ code: 'not-confirmed' });
    expect(await statusOf(pushed['shareUrl'])).toBe(200);
  });

  test('hints name tools with their fields, and no command or option of the terminal', async () => {
    const deck = pushed['presentationId'];
    const bo = await connect('hints');
    const hintOf = async (client: Client, name: string, input: object = {}) =>
      (await refusal(client, name, input))['nextAction'] as string;
    expect(await hintOf(bo, 'whoami')).toBe(
      'Run `request_sign_in_code (purpose: "login")`, or `request_sign_in_code (purpose: "signup")` if you do not have ' +
        'an account yet.',
    );
    const email = testbed.anEmail();
    await call(bo, 'request_sign_in_code', { purpose: 'signup', email });
    expect(await hintOf(bo, 'request_sign_in_code', { purpose: 'signup', email })).toContain(
      'complete_sign_in (code: <code>, firstName: <name>)',
    );
    const code = await testbed.newestCode(email);
    expect(await hintOf(bo, 'complete_sign_in', { code })).toBe('Pass it with firstName.');
    expect(await hintOf(ada, 'pin_link', { deck, link: 'nope', version: 1 })).toBe(
      `\`list_links (deck: "${deck}")\` shows the links of a deck.`,
    );
    const diff = await hintOf(ada, 'diff_versions', { deck, from: 1, to: 99 });
    expect(diff).toBe(`list_versions (deck: "${deck}") shows the versions.`);
    const other = await testbed.aFolder({ 'a.html': '', 'b.html': '' });
    expect(await hintOf(ada, 'push_folder', { folder: other })).toContain('Name it with entry, for example: entry');
    const talk = await testbed.aFolder({ 'index.html': '<title>Hints</title>one' });
    const { presentationId } = await call(ada, 'push_folder', { folder: talk, thumbnail: false });
    const fork = join(home, 'fork');
    await call(ada, 'pull_deck', { deck: presentationId, folder: fork });
    await writeFile(join(fork, 'index.html'), 'two');
    await call(ada, 'push_folder', { folder: fork, thumbnail: false });
    await writeFile(join(talk, 'index.html'), 'three');
    const conflict = await hintOf(ada, 'push_folder', { folder: talk, thumbnail: false });
    expect(conflict).toContain(`pull_deck (deck: "${talk}")`);
    expect(conflict).toContain(`push_folder (folder: "${talk}", overwrite: true)`);
    expect(conflict).toContain(`restore_version (version: 1, deck: "${talk}")`);
    const both = await hintOf(ada, 'pull_deck', { deck: talk });
    expect(both).toContain(`pull_deck (deck: "${talk}", prefer: "theirs") takes`);
    const { warnings } = await call(ada, 'pull_deck', { deck: talk, version: 1, prefer: 'mine' });
    expect(warnings[0].message).toContain(`restore_version (version: 1, deck: "${talk}")`);
    const star = await hintOf(ada, 'star_listing', { slug: 'nothing' });
    expect(star).toBe('Run `complete_sign_in (publish: true)` for a key with the scope marketplace:publish.');
  });

  test('reads keys, profiles, versions and the state of the computer, and finds decks', async () => {
    const { keys } = await call(ada, 'list_keys');
    expect(keys).toMatchObject([{ isCaller: true }]);
    expect(JSON.stringify(keys)).not.toContain('"raw"');
    expect((await call(ada, 'list_profiles')).profiles).toMatchObject([{ current: true }]);
    const { checks } = await call(ada, 'doctor');
    expect(checks.find(({ name }: Answer) => name === 'key')).toMatchObject({ state: 'ok' });
    expect((await call(ada, 'list_decks', { search: 'hint', sort: 'title' })).decks).toMatchObject([
      { title: 'Hints' },
    ]);
    const { isComplete, versions } = await call(ada, 'list_versions', { deck: pushed['presentationId'], all: true });
    expect([isComplete, versions.length]).toEqual([true, 3]);
    expect(await refusal(ada, 'diff_versions', { deck: folder, to: 1 })).toMatchObject({ code: 'usage' });
    expect(await call(ada, 'diff_versions', { deck: folder })).toMatchObject({ from: 1 });
  });

  test('reads and writes only below the folders that the program of the agent has opened', async () => {
    const open = join(home, 'open');
    await mkdir(open);
    await writeFile(join(open, 'index.html'), '<title>Open</title>');
    const limited = await connect('ada', [open]);
    const listed = await call(limited, 'push_folder', { folder: open, thumbnail: false });
    const secret = await testbed.aFolder({ 'index.html': 'secret' });
    await symlink(secret, join(open, 'link'));
    for (const [name, input] of [
      ['push_folder', { folder: secret }],
      ['push_folder', { folder: join(open, 'link') }],
      ['deck_info', { deck: folder }],
      ['pull_deck', { deck: listed['presentationId'], folder: join(open, '..', 'beside') }],
      ['pull_deck', { deck: listed['presentationId'], folder: join(open, 'link', 'new') }],
    ] as const)
      expect(await refusal(limited, name, input)).toMatchObject({
        code: 'outside-roots',
        nextAction: expect.stringContaining(open),
      });
    const copy = join(open, 'new', 'copy');
    expect(await call(limited, 'pull_deck', { deck: listed['presentationId'], folder: copy })).toBeDefined();
    expect(await call(limited, 'deck_info', { deck: open })).toMatchObject({ title: 'Open' });
    const unlimited = await connect('ada', []);
    expect(await call(unlimited, 'deck_info', { deck: folder })).toMatchObject({ title: 'Talk' });
  });

  test('offers a prompt that publishes a folder', async () => {
    expect((await ada.listPrompts()).prompts.map(({ name }) => name)).toEqual(['publish_folder']);
    const { messages } = await ada.getPrompt({ name: 'publish_folder', arguments: { folder: '/talks/one' } });
    expect(messages[0]!.content).toMatchObject({ text: expect.stringContaining('"/talks/one"') });
  });

  test('deletes a deck whose title the agent repeats, and then its link opens nothing', async () => {
    const deleted = await call(ada, 'delete_deck', { deck: folder, title: 'Talk' });
    expect(deleted).toMatchObject({ status: 'deleted', presentationId: pushed['presentationId'] });
    expect(await statusOf(pushed['shareUrl'])).not.toBe(200);
    await expect(readFile(join(folder, '.deck.json'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
