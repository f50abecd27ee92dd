import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Computer, Ended } from './world';
import { World } from './world';

let world: World;
let publisher: Computer;
beforeAll(async () => {
  world = await World.create();
  publisher = await world.aPublisher();
});
afterAll(() => world.close());
beforeEach(() => world.gateway.reset());

interface Failed {
  error: { code: string; message: string; nextAction: string; details?: Record<string, unknown> };
  exitCode: number;
}
interface Published {
  status: string;
  slug: string;
  version: number;
  marketplaceUrl: string;
}
interface Listing {
  slug: string;
  title: string;
  status: string;
  version: number;
}

let decks = 0;
const aTitle = () => `Deck number ${++decks} of this run`;

/** A folder that has been pushed. */
async function aPushedFolder(by = publisher, title = aTitle()): Promise<string> {
  const folder = await world.aFolder({ 'index.html': `<title>${title}</title>` });
  await done(by, 'push', folder);
  return folder;
}

async function done<T = Record<string, unknown>>(by: Computer, ...args: string[]): Promise<T> {
  const ended = await by.deck([...args, '--json']);
  if (ended.code !== 0) throw new Error(ended.stdout + ended.stderr);
  return ended.json<T>();
}

async function refused(by: Computer, ...args: string[]): Promise<Failed> {
  const ended = await by.deck([...args, '--json']);
  expect(ended.code).not.toBe(0);
  return ended.json<Failed>();
}

const publish = (folder: string, ...options: string[]) => done<Published>(publisher, 'publish', folder, ...options);

/** A call of the service itself. */
async function call<T>(path: string, key?: string): Promise<T> {
  const response = await fetch(`${world.baseUrl}/${path}`, { headers: key ? { Authorization: `Bearer ${key}` } : {} });
  return ((await response.json()) as { data: T }).data;
}

const listing = (slug: string) => call<Listing>(`getMarketplaceListing?slug=${slug}`);

async function isListed(slug: string): Promise<boolean> {
  const { listings } = await call<{ listings: Listing[] }>('listMarketplaceListings?limit=100');
  return listings.some((each) => each.slug === slug);
}

async function slugKept(folder: string): Promise<unknown> {
  return (JSON.parse(await readFile(join(folder, '.deck.json'), 'utf8')) as { listing?: string }).listing;
}

const secretsIn = ({ stdout, stderr }: Ended) => /ck[oas]_[A-Za-z0-9]{10}/.exec(stdout + stderr);

describe('deck login --publish', () => {
  test('gets a key with all scopes in two calls, and leaves no session behind', async () => {
    const email = world.anEmail();
    const computer = await world.aSignedInComputer(email);
    await world.later(31);
    const asked = await done(computer, 'login', '--publish', '--email', email);
    expect(asked).toMatchObject({ status: 'code-sent', next: `deck login --publish --email ${email} --code <code>` });

    let session = '';
    world.gateway.watch = ({ name, headers }) => {
      if (name === 'createApiKey') session = headers.authorization?.replace('Bearer ', '') ?? '';
      return 'forward';
    };
    const code = await world.newestCode(email);
    const ended = await computer.deck(['login', '--publish', '--email', email, '--code', code, '--json']);
    expect(ended.json()).toMatchObject({
      status: 'signed-in',
      email,
      organizationName: "Ada's workspace",
      apiKey: { scopes: ['presentations:write', 'presentations:read', 'marketplace:publish'] },
    });
    expect(secretsIn(ended)).toBeNull();
    const files = await readFile(join(computer.configFolder, 'deck', 'keys.json'), 'utf8');
    expect(files).not.toContain(session);
    expect(session).toMatch(/^cks_/);
    const listKeys = await fetch(`${world.baseUrl}/listApiKeys`, { headers: { Authorization: `Bearer ${session}` } });
    expect(listKeys.status).toBe(401);
    expect(await done(computer, 'whoami')).toMatchObject({
      scopes: expect.arrayContaining(['marketplace:publish']) as string[],
    });
  });

  test('makes one key that counts, even if the answer with it is lost', async () => {
    const email = world.anEmail();
    const computer = await world.aSignedInComputer(email);
    await world.later(31);
    await computer.deck(['login', '--publish', '--email', email]);
    world.gateway.watch = ({ name, number }) =>
      name === 'createApiKey' && number === 1 ? 'lose the answer' : 'forward';
    const code = await world.newestCode(email);
    await done(computer, 'login', '--publish', '--email', email, '--code', code, '--key-name', 'Mine');
    const { keys } = await call<{ keys: { name: string; status: string }[] }>('listApiKeys', await computer.key());
    expect(
      keys
        .filter(({ name }) => name === 'Mine')
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['active', 'revoked']);
  });

  test('where there are 20 keys already ends its session and says what to do, at once', async () => {
    const email = world.anEmail();
    const computer = await world.aSignedInComputer(email);
    for (let keys = 1; keys < 20; keys++) {
      await world.later(1_200); // some codes an hour are all that an address gets
      await computer.deck(['login', '--email', email]);
      await done(computer, 'login', '--email', email, '--code', await world.newestCode(email));
    }
    const before = await computer.key();
    await world.later(1_200);
    await computer.deck(['login', '--publish', '--email', email]);
    world.gateway.reset();
    const login = ['login', '--publish', '--email', email, '--code', await world.newestCode(email)];
    const { error } = await refused(computer, ...login);
    expect(error).toMatchObject({
      code: 'MAX_API_KEYS_REACHED',
      nextAction: expect.stringContaining('in the dashboard, then log in again') as string,
    });
    expect(world.gateway.calls).toEqual({ createDashboardSession: 1, createApiKey: 1, endDashboardSession: 1 });
    expect(await computer.key()).toBe(before);
  });

  test('refuses a life of the key that cannot be, before the code is used up', async () => {
    const args = ['login', '--publish', '--email', 'a@example.com', '--code', '123456', '--expires-in-days', '366'];
    expect(await refused(publisher, ...args)).toMatchObject({ exitCode: 2, error: { code: 'usage' } });
    expect(world.gateway.calls).toEqual({});
  });
});

describe('deck list', () => {
  test('shows title, version, views and share link of every deck, and nothing of others', async () => {
    const computer = await world.aSignedInComputer();
    const none = await computer.deck(['list']);
    expect(none.stdout).toContain('deck push <folder>');
    const folder = await aPushedFolder(computer, 'Our &amp; only\u009b2J');
    const { decks: rows } = await done<{ decks: { id: string; shareUrl: string }[] }>(computer, 'list');
    expect(rows).toEqual([
      expect.objectContaining({ title: 'Our & only 2J', version: 1, role: 'owner', totalViews: 0 }),
    ]);
    const { shareUrl } = await done<{ shareUrl: string }>(computer, 'open', folder, '--print');
    expect(rows[0]?.shareUrl).toBe(shareUrl);
    const { stdout } = await computer.deck(['list']);
    for (const shown of ['Our & only 2J', 'version 1', '0 views', shareUrl, rows[0]!.id])
      expect(stdout).toContain(shown);
  });

  test('goes through all pages', async () => {
    const computer = await world.aSignedInComputer();
    const { slug } = await publish(await aPushedFolder(), '--description', 'To be remixed');
    const headers = { Authorization: `Bearer ${await computer.key()}`, 'Content-Type': 'application/json' };
    for (let made = 0; made < 101; made++) {
      const body = JSON.stringify({ slug });
      await fetch(`${world.baseUrl}/remixMarketplaceListing`, { method: 'POST', headers, body });
    }
    world.gateway.reset();
    const { decks: rows } = await done<{ decks: { id: string }[] }>(computer, 'list');
    expect(new Set(rows.map(({ id }) => id)).size).toBe(101);
    expect(world.gateway.calls['listMyPresentations']).toBe(2);
  });

  test('needs a key', async () => {
    expect((await refused(world.aComputer(), 'list')).error.code).toBe('not-signed-in');
  });
});

describe('deck publish', () => {
  test('lists the deck with all that the options say', async () => {
    const title = aTitle();
    const folder = await aPushedFolder(publisher, title);
    await writeFile(join(folder, 'more.txt'), 'x');
    await done(publisher, 'push', folder);
    const words = ['--tag', 'Talks', '--tag', 'web', '--stack', 'reveal.js', '--category', 'Learning', '--interactive'];
    const published = await publish(folder, '--description', 'All about it.', '--version', '1', ...words);
    const slug = title.toLowerCase().replaceAll(' ', '-');
    expect(published).toMatchObject({
      status: 'published',
      slug,
      kind: 'presentation',
      interactive: true,
      version: 1,
      marketplaceUrl: expect.stringMatching(`/marketplace/${slug}$`) as string,
    });
    expect(await listing(slug)).toMatchObject({
      title,
      description: 'All about it.',
      version: 1,
      tags: ['talks', 'web'],
      techStack: ['reveal.js'],
      category: 'Learning',
    });
    expect(await isListed(slug)).toBe(true);
    expect(await slugKept(folder)).toBe(slug);
  });

  test('again shows the current version, changes what is named and keeps the rest', async () => {
    const folder = await aPushedFolder();
    const { slug } = await publish(folder, '--description', 'First', '--tag', 'kept', '--kind', 'plan');
    await writeFile(join(folder, 'more.txt'), 'x');
    await done(publisher, 'push', folder);
    expect(await slugKept(folder)).toBe(slug);
    expect(await listing(slug)).toMatchObject({ version: 1 });
    const updated = await publish(folder, '--title', 'Another title');
    expect(updated).toMatchObject({ status: 'updated', slug, version: 2, kind: 'plan' });
    expect(await listing(slug)).toMatchObject({
      title: 'Another title',
      description: 'First',
      tags: ['kept'],
      version: 2,
    });
    expect(await publish(folder, '--version', '1')).toMatchObject({ version: 1 });
    const shown = await publisher.deck(['publish', folder]);
    expect(shown.stdout).toMatch(new RegExp(`Updated the listing ${slug}.* version 2`));
    expect(shown.stdout).toContain(`/marketplace/${slug}`);
  });

  test('from a folder that does not know of the listing finds it', async () => {
    const folder = await aPushedFolder();
    const { slug } = await publish(folder, '--description', 'First');
    const deckFile = JSON.parse(await readFile(join(folder, '.deck.json'), 'utf8')) as object;
    await writeFile(join(folder, '.deck.json'), JSON.stringify({ ...deckFile, listing: undefined }));
    expect(await publish(folder, '--description', 'Second', '--slug', slug)).toMatchObject({ status: 'updated', slug });
    expect(await slugKept(folder)).toBe(slug);
    expect(await listing(slug)).toMatchObject({ description: 'Second' });
    expect((await refused(publisher, 'publish', folder, '--slug', 'another-one')).error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(slug) as string,
    });
  });

  test('is forgotten by a folder that becomes another deck', async () => {
    const folder = await aPushedFolder();
    await publish(folder, '--description', 'x');
    await done(publisher, 'push', folder, '--new');
    expect(await slugKept(folder)).toBeUndefined();
  });

  test('after an answer that was lost has made one listing', async () => {
    const folder = await aPushedFolder();
    world.gateway.watch = ({ name, number }) =>
      name === 'publishMarketplaceListing' && number === 1 ? 'lose the answer' : 'forward';
    expect(await publish(folder, '--description', 'x')).toMatchObject({ status: 'published' });
  });

  test('of a slug that somebody has says so, and changes nothing of theirs', async () => {
    const { slug } = await publish(await aPushedFolder(), '--description', 'Theirs');
    const folder = await aPushedFolder();
    const { error } = await refused(publisher, 'publish', folder, '--description', 'Mine', '--slug', slug);
    expect(error).toMatchObject({ code: 'conflict', message: 'This slug is taken.' });
    expect(await listing(slug)).toMatchObject({ description: 'Theirs' });
  });

  test('needs a key that may publish, and names the command that gets one', async () => {
    const computer = await world.aSignedInComputer();
    const folder = await aPushedFolder(computer);
    const args = ['publish', folder, '--description', 'x'];
    expect((await refused(computer, ...args)).error).toMatchObject({
      code: 'permission-denied',
      nextAction: 'Run `deck login --publish` for a key with the scope marketplace:publish.',
      details: { requiredScope: 'marketplace:publish' },
    });
    const fromEnvironment = await computer.deck([...args, '--json'], { DECK_API_KEY: await computer.key() });
    expect(fromEnvironment.json<Failed>().error.nextAction).toContain('DECK_API_KEY lacks the scope');
  });

  test('of a deck of somebody else is refused in words that fit', async () => {
    const folder = await aPushedFolder(await world.aSignedInComputer());
    const { error } = await refused(publisher, 'publish', folder, '--description', 'x');
    expect(error).toMatchObject({
      code: 'permission-denied',
      nextAction: expect.stringContaining('deck whoami') as string,
    });
  });

  test('names the options that the service does not take', async () => {
    const folder = await aPushedFolder();
    const wrong = ['--tag', 'fine', '--tag', 'no good', '--stack', 'Reveal', '--slug', 'A B'];
    const { error } = await refused(publisher, 'publish', folder, '--description', 'x', ...wrong);
    const { errors } = error.details as { errors: { location: string }[] };
    expect(errors.map(({ location }) => location).sort()).toEqual(['--slug', '--stack', '--tag']);
  });

  test.each([
    ['without a description', [], 'A new listing needs a description.'],
    ['of an unknown kind', ['--description', 'x', '--kind', 'film'], 'presentation, app, plan'],
    ['of a version that is no number', ['--description', 'x', '--version', 'last'], 'whole number'],
  ])('%s is called wrongly: nothing is sent', async (_case, options, message) => {
    const folder = await aPushedFolder();
    world.gateway.reset();
    const { error, exitCode } = await refused(publisher, 'publish', folder, ...options);
    expect({ code: error.code, exitCode }).toEqual({ code: 'usage', exitCode: 2 });
    expect(error.message).toContain(message);
    expect(world.gateway.calls).toEqual({});
  });

  test('of a folder that was not pushed, or by nobody, says what to do first', async () => {
    const folder = await world.aFolder({ 'index.html': 'x' });
    expect((await refused(publisher, 'publish', folder)).error).toMatchObject({
      code: 'not-pushed',
      nextAction: `Run \`deck push ${folder}\` first.`,
    });
    const nobody = world.aComputer();
    expect((await refused(nobody, 'publish', await aPushedFolder())).error.code).toBe('not-signed-in');
  });

  test('of a listing that an operator took down tells that, and why', async () => {
    const folder = await aPushedFolder();
    const { slug } = await publish(folder, '--description', 'x');
    await world.operator('take-down', '--listing', slug, '--reason', 'It is a copy.');
    const ended = await publisher.deck(['publish', folder, '--json']);
    expect(ended.json()).toMatchObject({ status: 'updated', takedown: { reason: 'It is a copy.' } });
    expect(ended.stderr).toContain('nobody sees it: It is a copy.');
  });
});

describe('deck unpublish', () => {
  test('takes the listing out of the lists, by folder or slug, and publishing brings it back', async () => {
    const folder = await aPushedFolder();
    const { slug } = await publish(folder, '--description', 'x');
    for (const name of [folder, slug]) {
      expect(await done(publisher, 'unpublish', name)).toMatchObject({ status: 'unlisted', slug });
      expect(await listing(slug)).toMatchObject({ status: 'unlisted' });
      expect(await isListed(slug)).toBe(false);
      await publish(folder);
      expect(await isListed(slug)).toBe(true);
    }
    const shown = await publisher.deck(['unpublish', slug]);
    expect(shown.stdout).toContain('Whoever has its address still sees it');
  });

  test.each([
    ['a slug that nobody has', 'no-such-listing', 'not-found'],
    ['a folder that is not there', './no-such-folder', 'usage'],
  ])('of %s is refused', async (_case, name, code) => {
    expect((await refused(publisher, 'unpublish', name)).error.code).toBe(code);
  });

  test('of what is not published, or not one’s own, is refused in words that fit', async () => {
    const folder = await aPushedFolder();
    expect((await refused(publisher, 'unpublish', folder)).error).toMatchObject({
      code: 'not-published',
      nextAction: expect.stringContaining('deck unpublish <slug>') as string,
    });
    const { slug } = await publish(folder, '--description', 'x');
    expect((await refused(await world.aPublisher(), 'unpublish', slug)).error.code).toBe('permission-denied');
    expect((await refused(await world.aSignedInComputer(), 'unpublish', slug)).error.nextAction).toContain(
      'deck login --publish',
    );
    expect((await refused(world.aComputer(), 'unpublish', slug)).error.code).toBe('not-signed-in');
    expect(await isListed(slug)).toBe(true);
  });
});

describe('in a terminal', () => {
  const inTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') ? test : test.skip;

  inTerminal('publish asks for the description, of whoever may publish', async () => {
    const folder = await aPushedFolder();
    const screen = publisher.inTerminal(['publish', folder]);
    await screen.shows('What is it, in a line or two?');
    screen.type('\r');
    await screen.shows('1 to 500 characters');
    screen.type('All that I know.\r');
    await screen.shows('/marketplace/');
    expect(await screen.exitCode()).toBe(0);
    expect(await listing(String(await slugKept(folder)))).toMatchObject({ description: 'All that I know.' });

    const computer = await world.aSignedInComputer();
    const other = computer.inTerminal(['publish', await aPushedFolder(computer)]);
    await other.shows('This key may not publish');
    await other.shows('deck login --publish');
    expect(await other.exitCode()).toBe(1);
  });

  inTerminal('login --publish asks for the code, again after a wrong one', async () => {
    const email = world.anEmail();
    const computer = await world.aSignedInComputer(email);
    await world.later(31);
    const screen = computer.inTerminal(['login', '--publish', '--email', email]);
    await screen.shows('Code from the mail:');
    const code = await world.newestCode(email);
    screen.type(`${code === '123456' ? '654321' : '123456'}\r`);
    await screen.shows('Tries left: 4.');
    await screen.shows('Code from the mail:');
    screen.type(`${code}\r`);
    await screen.shows('Next: deck publish <folder>');
    expect(await screen.exitCode()).toBe(0);
  });
});
