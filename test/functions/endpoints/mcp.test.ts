import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { allTools } from '../../../cli/src/mcp/server';
import { hashKey, type Scope } from '../../../functions/src/values/keys';
import { each } from '../../support/each';
import { gateway, startWorldBehindGateway } from '../../support/gateways';
import { watchLog } from '../../support/request-lines';
import { words } from '../../support/words';
import { type Account, world } from '../../support/world';

/** The tools of `deck mcp` over HTTP. The client is that of the official SDK. */

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Answer = Record<string, any>;

let ada: Account;
let agent: Agent;
/** Where a command would store keys, links and profiles. */
let home: string;

startWorldBehindGateway(async () => {
  home = await mkdtemp(join(tmpdir(), 'agent-'));
  Object.assign(process.env, { HOME: home, XDG_CONFIG_HOME: home, DECK_API_KEY: 'cko_of-the-server' });
  ada = await world.aPublisher('pro');
  agent = await Agent.connect(ada);
});
afterAll(() => rm(home, { recursive: true }));

class Agent {
  private constructor(readonly client: Client) {}

  static async connect({ key }: Pick<Account, 'key'>): Promise<Agent> {
    const headers = { authorization: `Bearer ${key}`, origin: 'https://agent.example' };
    const url = new URL(`${world.cloud.baseUrl}/mcp`);
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return new Agent(client);
  }

  async result(name: string, input: object = {}): Promise<Answer> {
    return this.client.callTool({ name, arguments: { ...input } });
  }

  async call(name: string, input: object = {}): Promise<Answer> {
    const { isError, content, structuredContent } = await this.result(name, input);
    expect([name, isError, isError && content[0].text]).toEqual([name, undefined, undefined]);
    return structuredContent;
  }

  async refusal(name: string, input: object): Promise<Answer> {
    const { isError, content } = await this.result(name, input);
    expect([name, isError]).toEqual([name, true]);
    return JSON.parse(content[0].text);
  }
}

const post = (body: unknown, { key }: Pick<Account, 'key'>, headers: Record<string, string> = {}) =>
  world.call('mcp', body, { key, headers });
const statusOf = async (url: string) => (await fetch(url)).status;
const page = (text: string) => ({ path: 'index.html', text: `<title>${text}</title>` });
const withScopes = async (...scopes: Scope[]) => {
  const account = await world.anOwner();
  await world.database.doc(`apiKeys/${hashKey(account.key)}`).update({ scopes });
  return account;
};

test('the tools are those of deck mcp that need no computer, and none of them takes a path', async () => {
  const { tools } = await agent.client.listTools();
  const expected = [...allTools].filter(([, { needsComputer }]) => !needsComputer).map(([name]) => name);
  expect(tools.map(({ name }) => name)).toEqual(expected);
  const hidden = [...allTools.keys()].filter((name) => !expected.includes(name));
  expect(hidden).toEqual(words('push_folder pull_deck request_sign_in_code complete_sign_in list_profiles doctor'));
  expect(JSON.stringify(tools).length).toBeLessThan(20_000);
  expect(JSON.stringify(tools)).not.toMatch(/absolute path|"folder"/);
  expect(agent.client.getInstructions()).toContain('push_deck');
  for (const deck of ['/etc', home, '.']) {
    const { isError, content } = await agent.result('deck_info', { deck });
    expect([isError, content[0].text]).toEqual([true, expect.stringContaining('must be an id')]);
    const listing = await agent.result('unpublish_listing', { slug: deck });
    expect([listing['isError'], listing['content'][0].text]).toEqual([true, expect.stringContaining('last part')]);
  }
  for (const filter of [{ link: 'board' }, { version: 1 }])
    expect(await agent.refusal('get_insights', filter)).toMatchObject({
      code: 'usage',
      message: '`link` and `version` need `deck`.',
    });
});

test('a deck is pushed from contents, and its next version has these files only', async () => {
  const picture = randomBytes(2000);
  const files = [page('Made'), { path: 'a/b.png', base64: picture.toString('base64') }];
  expect(await agent.call('push_deck', { files, dryRun: true })).toMatchObject({ status: 'planned', version: 1 });
  const made = await agent.call('push_deck', { files });
  expect(made).toMatchObject({ status: 'pushed', version: 1, title: 'Made', uploaded: { files: 2 } });
  const deck = made['presentationId'] as string;
  const token = new URL(made['shareUrl'] as string).searchParams.get('token')!;
  const bytes = await (await fetch(world.viewUrl({ presentationId: deck, token }, 'a/b.png'))).arrayBuffer();
  expect(Buffer.from(bytes).equals(picture)).toBe(true);

  expect(await agent.call('push_deck', { files, deck })).toMatchObject({ status: 'unchanged', version: 1 });
  const next = { files: [page('Next')], deck, baseVersion: 1 };
  expect(await agent.call('push_deck', next)).toMatchObject({ version: 2, shareUrl: made['shareUrl'] });
  expect(await statusOf(world.viewUrl({ presentationId: deck, token }, 'a/b.png'))).toBe(404);
  const stale = await agent.refusal('push_deck', { ...next, files: [page('Stale')] });
  expect(stale).toMatchObject({ code: 'conflict', nextAction: expect.stringContaining('baseVersion') as string });
  const both = { path: 'index.html', text: 'x', base64: 'eA==' };
  for (const wrong of [both, { path: 'index.html' }, { path: 'index.html', base64: 'not base64' }])
    expect((await agent.result('push_deck', { files: [wrong] }))['isError']).toBe(true);
});

test('contents that look like a secret are published only when the user allows it', async () => {
  const token = `ghp_${randomBytes(18).toString('hex')}`;
  const files = [page('Secret'), { path: 'app.js', text: `const token = '${token}';` }];
  const before = (await agent.call('list_decks'))['decks'].length;
  const refused = await agent.refusal('push_deck', { files });
  expect(refused).toMatchObject({ code: 'secrets', nextAction: expect.stringContaining('allowSecrets') as string });
  expect(JSON.stringify(refused)).not.toContain(token);
  expect((await agent.call('list_decks'))['decks']).toHaveLength(before);
  const pushed = await agent.call('push_deck', { files, allowSecrets: true });
  expect(pushed).toMatchObject({ status: 'pushed', warnings: [{ code: 'secret', path: 'app.js' }] });
});

test('every tool does the work of its command, and stores nothing where the service runs', async () => {
  const { presentationId: deck, shareUrl } = await agent.call('push_deck', { files: [page('Talk')] });
  const called = new Set(['push_deck']);
  const call = async (name: string, input: object = {}) => {
    called.add(name);
    return agent.call(name, input);
  };
  expect(await call('whoami')).toMatchObject({ source: 'the request', baseUrl: world.cloud.baseUrl });
  expect(await call('account')).toMatchObject({ user: { displayName: 'Ada' }, organization: { plan: 'pro' } });
  expect(await call('usage')).toMatchObject({ plan: 'pro' });
  const { keys } = await call('list_keys');
  expect(keys).toMatchObject([{ isCaller: true }]);
  expect(JSON.stringify(keys)).not.toContain('"raw"');

  expect((await call('list_decks', { search: 'tal', sort: 'title' }))['decks']).toMatchObject([{ id: deck }]);
  const { resources } = await agent.client.listResources();
  expect(resources.map(({ name }) => name)).toContain('Talk');
  const { contents } = await agent.client.readResource({ uri: `deck://${deck}` });
  expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ id: deck, title: 'Talk' });
  expect(await call('rename_deck', { deck, title: 'Renamed' })).toMatchObject({ title: 'Renamed' });
  await agent.call('push_deck', { deck, files: [page('Two')] });
  expect(await call('deck_info', { deck })).toMatchObject({ title: 'Renamed', version: 2 });
  expect(await call('diff_versions', { deck, from: 1 })).toMatchObject({ from: 1, to: 2 });
  expect(await call('restore_version', { deck, version: 1 })).toMatchObject({ version: 3 });
  const { isComplete, versions } = await call('list_versions', { deck, all: true });
  expect([isComplete, versions.map(({ version }: Answer) => version)]).toEqual([true, [3, 2, 1]]);

  // The name of a link may look like an option.
  const { link } = await call('add_link', { deck, name: '--all', version: 1 });
  expect(link).toMatchObject({ name: '--all', pinnedVersion: 1 });
  expect(await call('pin_link', { deck, link: '--all', version: 2 })).toMatchObject({ link: { id: link.id } });
  expect(await call('pin_link', { deck, link: link.id })).toMatchObject({ link: { pinnedVersion: null } });
  await call('revoke_link', { deck, link: '--all' });
  expect([await statusOf(link.shareUrl), await statusOf(shareUrl)]).toEqual([403, 200]);
  const { links } = await call('list_links', { deck, revoked: true });
  expect(links.map(({ name, state }: Answer) => [name, state])).toContainEqual(['--all', 'revoked']);

  const viewer = 'grace@example.org';
  const mail = { deck, addresses: [viewer], message: 'Hi', requireEmail: true };
  expect(await call('email_deck', mail)).toMatchObject({ failed: [] });
  expect((await call('list_mails', { deck, limit: 5 }))['mails']).toMatchObject([{ email: viewer }]);
  expect(await call('get_insights', { deck, link: link.id })).toMatchObject({ views: 0, newestViews: [] });
  expect(await call('get_insights')).toMatchObject({ byDeck: [] });
  expect(await call('list_views', { deck, limit: 5 })).toMatchObject({ views: [] });
  expect(await call('set_tracking', { deck, tracking: 'count' })).toMatchObject({ tracking: 'count' });
  const gate = { passcode: 'orchid-47', maxOpenings: 5, allow: ['@example.com'], notify: 'first' };
  const gated = { hasPasscode: true, maxOpenings: 5, allowedEmailCount: 1, notify: 'first' };
  const set = { deck, link: viewer, name: 'Viewer', expires: 'never', short: false };
  const changed = await call('set_link', { ...set, ...gate });
  expect(changed).toMatchObject({ link: { name: 'Viewer', shortUrl: null, ...gated } });
  const ended = { deck, link: 'Viewer', passcode: 'none', maxOpenings: 'none', allow: ['none'] };
  const ungated = { hasPasscode: false, maxOpenings: null, allowedEmailCount: null };
  expect(await call('set_link', ended)).toMatchObject({ link: ungated });
  expect(await call('set_expiry', { deck, when: '7d' })).toMatchObject({ expiresAt: expect.any(String) as string });
  expect(await call('set_expiry', { deck, when: 'never' })).toMatchObject({ expiresAt: null });

  await call('invite_collaborator', { deck, email: 'bo@example.org', message: 'Please edit' });
  expect((await call('list_collaborators', { deck }))['collaborators']).toMatchObject([{ email: 'bo@example.org' }]);
  await call('remove_collaborator', { deck, email: 'bo@example.org' });
  const { presentationId: shared } = await world.aDeck(await world.anOwner());
  await world.addMember({ presentationId: shared }, ada);
  expect((await agent.result('leave_deck', { deck: shared }))['isError']).toBe(true);
  expect(await call('leave_deck', { deck: shared, confirm: true })).toMatchObject({ presentationId: shared });

  const fields = { description: '- a talk about waves', kind: 'plan', tags: ['sea', 'wind'], technologies: ['html'] };
  const { slug } = await call('publish_deck', { deck, title: 'Waves', ...fields });
  expect(await call('publish_deck', { deck, title: 'Waves' })).toMatchObject({ status: 'updated', slug });
  const search = { words: ['waves'], tag: 'wind', kind: 'plan', limit: 3 };
  const found = [{ slug, title: 'Waves', description: fields.description }];
  expect((await call('search_listings', search))['listings']).toMatchObject(found);
  expect(await call('read_listing', { slug })).toMatchObject({ title: 'Waves', tags: ['sea', 'wind'] });
  const remix = await call('remix_listing', { slug });
  expect(remix).toMatchObject({ status: 'remixed', warnings: [{ code: 'foreign-scripts' }] });
  expect(await call('list_remixes', { slug })).toMatchObject({ slug, remixes: [], isComplete: true });
  expect(await call('star_listing', { slug })).toMatchObject({ starred: true, stars: 1 });
  expect(await call('star_listing', { slug, star: false })).toMatchObject({ starred: false, stars: 0 });
  expect(await call('report_listing', { slug, reason: 'other', message: '--no' })).toMatchObject({ slug });
  expect(await call('unpublish_listing', { slug })).toMatchObject({ status: 'unlisted', slug });

  // These need the agreement of the user.
  expect((await agent.result('revoke_all_links', { deck }))['isError']).toBe(true);
  expect(await statusOf(shareUrl)).toBe(200);
  expect((await call('revoke_all_links', { deck, confirm: true }))['revoked']).toHaveLength(2);
  expect(await agent.refusal('delete_deck', { deck, title: 'Another' })).toMatchObject({ code: 'not-confirmed' });
  const { title } = await agent.call('deck_info', { deck });
  expect(await call('delete_deck', { deck, title })).toMatchObject({ status: 'deleted', presentationId: deck });
  const offered = (await agent.client.listTools()).tools.map(({ name }) => name);
  expect(offered.filter((name) => !called.has(name))).toEqual([]);
  expect(await readdir(home)).toEqual([]);
});

test('a key without the scope of a call gets nothing done by its tool', async () => {
  const reader = await Agent.connect(await withScopes('presentations:read'));
  const refused = await reader.refusal('push_deck', { files: [page('No')] });
  const nextAction = expect.stringContaining('API keys') as string;
  const details = { requiredScope: 'presentations:write' };
  expect(refused).toMatchObject({ code: 'permission-denied', details, nextAction });
  expect((await reader.call('list_decks'))['decks']).toEqual([]);
  const writer = await Agent.connect(await withScopes('presentations:write'));
  expect(await writer.refusal('list_decks', {})).toMatchObject({ details: { requiredScope: 'presentations:read' } });
});

test('messages of several accounts at once each see the decks of their own account', async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => world.anOwner()));
  const seen = await Promise.all(
    accounts.map(async (account, i) => {
      const its = await Agent.connect(account);
      await its.call('push_deck', { files: [page(`Deck ${i}`)] });
      return (await its.call('list_decks'))['decks'].map(({ title }: Answer) => title);
    }),
  );
  expect(seen).toEqual(accounts.map((_, i) => [`Deck ${i}`]));
});

test('a push ends when the agent is gone, and makes no deck', async () => {
  const owner = await world.anOwner();
  const its = await Agent.connect(owner);
  const ends = new Map<string, () => void>();
  watchLog((text) => ends.forEach((resolve, message) => text.includes(message) && resolve()));
  const endOf = (message: string) => new Promise<void>((resolve) => ends.set(message, resolve));
  const held = gateway.hold('answer', ({ method, address }) => method === 'POST' && address.includes('/blobs/'));
  const push = its.result('push_deck', { files: [page('Gone')] });
  await held.until(push);
  const ended = endOf('499 POST mcp');
  // A request that the SDK cancels goes on. A connection that ends is the end of the agent.
  const failed = expect(push).rejects.toThrow();
  await its.client.close();
  await failed;
  await ended;
  const uploaded = endOf('POST uploadPresentationAssets');
  held.release();
  await uploaded;
  expect((await (await Agent.connect(owner)).call('list_decks'))['decks']).toEqual([]);
});

describe('a message', () => {
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  };

  test('needs a key, also at initialize, and asks the database for nothing else', async () => {
    expect((await world.call('mcp', hello)).status).toBe(401);
    await world.useKey(ada);
    const cost = await world.costOf(async () => expect((await post(hello, ada)).status).toBe(200));
    expect([cost.documentReads, cost.documentWrites]).toEqual([1, 0]);
  });

  test('is answered as one document of JSON, and a notification with nothing', async () => {
    const answer = await post(hello, ada, { accept: 'application/json, text/event-stream' });
    expect(answer.headers.get('content-type')).toContain('application/json');
    const result = { serverInfo: { name: 'deck' } };
    expect(JSON.parse(answer.data as unknown as string)).toMatchObject({ id: 1, result });
    const noted = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, ada);
    expect([noted.status, noted.data]).toEqual([202, '']);
    const unknown = await post({ jsonrpc: '2.0', id: 2, method: 'none' }, ada);
    expect(JSON.parse(unknown.data as unknown as string)).toMatchObject({ id: 2, error: { code: -32601 } });
  });

  test('of another form or version is refused', async () => {
    for (const wrong of each([{}, { jsonrpc: '1.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', id: {}, method: 'x' }]))
      expect((await post(wrong, ada)).error.code).toBe('invalid-argument');
    const { status, error } = await post(hello, ada, { 'mcp-protocol-version': '1999-01-01' });
    expect([status, error.details!.errors![0]!.location]).toEqual([400, 'header.MCP-Protocol-Version']);
  });
});
