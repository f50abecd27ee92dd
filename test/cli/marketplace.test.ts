import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inTerminal, withTestbed, type Computer, type Refusal, type Testbed } from './testbed';

let testbed: Testbed;
let publisher: Computer;
withTestbed(async (made) => {
  ({ testbed } = made);
  publisher = await testbed.aPublisher();
});

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
  const folder = await testbed.aFolder({ 'index.html': `<title>${title}</title>` });
  await done(by, 'push', folder);
  return folder;
}

const done = <T = Record<string, unknown>>(by: Computer, ...args: string[]) => by.done<T>(...args);
const refused = (by: Computer, ...args: string[]) => by.refused(...args);
const publish = (folder: string, ...options: string[]) => done<Published>(publisher, 'publish', folder, ...options);

/** A call of the service itself. */
async function call<T>(path: string): Promise<T> {
  const response = await fetch(`${testbed.baseUrl}/${path}`);
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

describe('deck list', () => {
  test('shows title, version, views and share link of the user’s decks, and no deck of other users', async () => {
    const computer = await testbed.aSignedInComputer();
    const empty = await computer.deck(['list']);
    expect(empty.stdout).toContain('deck push <folder>');
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

  test('fetches all pages', async () => {
    const computer = await testbed.aSignedInComputer();
    await aPushedFolder(computer);
    const [first] = (await done<{ decks: { id: string }[] }>(computer, 'list')).decks;
    await testbed.withDatabase(async (database) => {
      const decks = database.collection('presentations');
      const record = (await decks.doc(first!.id).get()).data()!;
      const batch = database.batch();
      for (let made = 1; made < 101; made++) {
        const presentationId = first!.id.slice(0, -4) + String(made).padStart(4, '0');
        batch.create(decks.doc(presentationId), { ...record, presentationId, firstToken: null, latestToken: null });
      }
      await batch.commit();
    });
    testbed.proxy.reset();
    const { decks: rows } = await done<{ decks: { id: string }[] }>(computer, 'list');
    expect(new Set(rows.map(({ id }) => id)).size).toBe(101);
    expect(testbed.proxy.calls['listMyPresentations']).toBe(2);
  });
});

describe('deck publish', () => {
  test('lists the deck with the fields that the options name', async () => {
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

  test('again shows the current version, changes the named fields and keeps the others', async () => {
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

  test('from a folder whose .deck.json does not name the listing finds it', async () => {
    const folder = await aPushedFolder();
    const { slug } = await publish(folder, '--description', 'First');
    const deckFile = JSON.parse(await readFile(join(folder, '.deck.json'), 'utf8')) as object;
    await writeFile(join(folder, '.deck.json'), JSON.stringify({ ...deckFile, listing: undefined }));
    expect(await publish(folder, '--description', 'Second', '--slug', slug)).toMatchObject({ status: 'updated', slug });
    expect(await slugKept(folder)).toBe(slug);
    expect(await listing(slug)).toMatchObject({ description: 'Second' });
    expect(await refused(publisher, 'publish', folder, '--slug', 'another-one')).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(slug) as string,
    });
  });

  test('is not remembered by a folder that was pushed as another deck', async () => {
    const folder = await aPushedFolder();
    await publish(folder, '--description', 'x');
    await done(publisher, 'push', folder, '--new');
    expect(await slugKept(folder)).toBeUndefined();
  });

  test('makes one listing when the first answer is lost', async () => {
    const folder = await aPushedFolder();
    testbed.proxy.watch = ({ name, number }) =>
      name === 'publishMarketplaceListing' && number === 1 ? 'lose the answer' : 'forward';
    expect(await publish(folder, '--description', 'x')).toMatchObject({ status: 'published' });
  });

  test('under a slug that another listing has is refused, and does not change that listing', async () => {
    const { slug } = await publish(await aPushedFolder(), '--description', 'Theirs');
    const folder = await aPushedFolder();
    const error = await refused(publisher, 'publish', folder, '--description', 'Mine', '--slug', slug);
    expect(error).toMatchObject({ code: 'conflict', message: 'Another listing has this slug.' });
    expect(await listing(slug)).toMatchObject({ description: 'Theirs' });
  });

  test('needs a key that may publish, and names the command that gets one', async () => {
    const computer = await testbed.aSignedInComputer();
    const folder = await aPushedFolder(computer);
    const args = ['publish', folder, '--description', 'x'];
    expect(await refused(computer, ...args)).toMatchObject({
      code: 'permission-denied',
      nextAction: 'Run `deck login --publish` for a key with the scope marketplace:publish.',
      details: { requiredScope: 'marketplace:publish' },
    });
    const fromEnvironment = await computer.deck([...args, '--json'], { DECK_API_KEY: await computer.key() });
    expect(fromEnvironment.json<{ error: Refusal }>().error.nextAction).toContain('DECK_API_KEY lacks the scope');
  });

  test('of another user’s deck is refused, with the commands to check', async () => {
    const folder = await aPushedFolder(await testbed.aSignedInComputer());
    const error = await refused(publisher, 'publish', folder, '--description', 'x');
    expect(error).toMatchObject({
      code: 'permission-denied',
      nextAction: expect.stringContaining('deck whoami') as string,
    });
  });

  test('names the options that the service refuses', async () => {
    const folder = await aPushedFolder();
    const wrong = ['--tag', 'fine', '--tag', 'no good', '--stack', 'Reveal', '--slug', 'A B'];
    const error = await refused(publisher, 'publish', folder, '--description', 'x', ...wrong);
    const { errors } = error.details as { errors: { location: string }[] };
    expect(errors.map(({ location }) => location).sort()).toEqual(['--slug', '--stack', '--tag']);
  });

  test.each([
    ['without a description', [], 'A new listing needs a description.'],
    ['of an unknown kind', ['--description', 'x', '--kind', 'film'], 'presentation, app, plan'],
    ['of a version that is not a number', ['--description', 'x', '--version', 'last'], 'whole number'],
  ])('%s is a usage error, and sends nothing', async (_case, options, message) => {
    const folder = await aPushedFolder();
    testbed.proxy.reset();
    const error = await refused(publisher, 'publish', folder, ...options);
    expect(error).toMatchObject({ code: 'usage', exit: 2 });
    expect(error.message).toContain(message);
    expect(testbed.proxy.calls).toEqual({});
  });

  test('of a folder that was not pushed, or without a key, says what to do first', async () => {
    const folder = await testbed.aFolder({ 'index.html': 'x' });
    expect(await refused(publisher, 'publish', folder)).toMatchObject({
      code: 'not-pushed',
      nextAction: expect.stringContaining(`Push it first: deck push ${folder}.`),
    });
    const signedOut = testbed.aComputer();
    expect((await refused(signedOut, 'publish', await aPushedFolder())).code).toBe('not-signed-in');
  });

  test('of a listing that an operator took down tells the reason', async () => {
    const folder = await aPushedFolder();
    const { slug } = await publish(folder, '--description', 'x');
    await testbed.operator('take-down', '--listing', slug, '--reason', 'It is a copy.');
    const ended = await publisher.deck(['publish', folder, '--json']);
    const message = expect.stringContaining('It is not shown. Reason: It is a copy.') as string;
    expect(ended.json()).toMatchObject({ takedown: { reason: 'It is a copy.' }, warnings: [{ message }] });
  });
});

describe('deck unpublish', () => {
  test('unlists the listing, by folder or slug, and publishing lists it again', async () => {
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
    expect(shown.stdout).toContain('Everyone who has its address can still open it');
  });

  test.each([
    ['a slug that no listing has', 'no-such-listing', 'not-found'],
    ['a folder that does not exist', './no-such-folder', 'usage'],
  ])('of %s is refused', async (_case, name, code) => {
    expect((await refused(publisher, 'unpublish', name)).code).toBe(code);
  });

  test('of a folder that is not published, or of another user’s listing, is refused with what to do', async () => {
    const folder = await aPushedFolder();
    expect(await refused(publisher, 'unpublish', folder)).toMatchObject({
      code: 'not-published',
      nextAction: expect.stringContaining('deck unpublish <slug>') as string,
    });
    const { slug } = await publish(folder, '--description', 'x');
    expect((await refused(await testbed.aPublisher(), 'unpublish', slug)).code).toBe('permission-denied');
    expect((await refused(await testbed.aSignedInComputer(), 'unpublish', slug)).nextAction).toContain(
      'deck login --publish',
    );
    expect((await refused(testbed.aComputer(), 'unpublish', slug)).code).toBe('not-signed-in');
    expect(await isListed(slug)).toBe(true);
  });
});

describe('in a terminal', () => {
  inTerminal('publish asks for the description, but only with a key that may publish', async () => {
    const folder = await aPushedFolder();
    const screen = publisher.inTerminal(['publish', folder]);
    await screen.shows('Description, in one or two lines:');
    screen.type('\r');
    await screen.shows('1 to 500 characters');
    screen.type('All that I know.\r');
    await screen.shows('/marketplace/');
    expect(await screen.exitCode()).toBe(0);
    expect(await listing(String(await slugKept(folder)))).toMatchObject({ description: 'All that I know.' });

    const computer = await testbed.aSignedInComputer();
    const other = computer.inTerminal(['publish', await aPushedFolder(computer)]);
    await other.shows('This key may not publish');
    await other.shows('deck login --publish');
    expect(await other.exitCode()).toBe(3);
  });
});

describe('the marketplace from a terminal', () => {
  interface Found {
    listings: { slug: string; title: string; stars: number }[];
    isComplete: boolean;
  }
  /** A computer on which nobody is signed in. */
  const visitor = () => testbed.aComputer();
  /** A title that commands a terminal to clear itself, and turns the direction of the text. */
  const HOSTILE = 'Pearls \x1b[2J\u202Eof wisdom';

  test('search finds listings by words, tag and kind without a key, in pages, up to the limit', async () => {
    const slugs: string[] = [];
    for (const kind of ['presentation', 'app', 'presentation']) {
      const folder = await aPushedFolder(publisher, `Wombats ${++decks}`);
      const options = ['--description', 'About wombats', '--tag', 'marsupial', '--kind', kind];
      slugs.unshift((await publish(folder, ...options)).slug);
    }
    const all = await done<Found>(visitor(), 'search', 'WOMBATS', 'about', '--tag', 'marsupial');
    expect([all.listings.map(({ slug }) => slug), all.isComplete]).toEqual([slugs, true]);
    const apps = await done<Found>(visitor(), 'search', '--tag', 'marsupial', '--kind', 'app');
    expect(apps.listings.map(({ slug }) => slug)).toEqual([slugs[1]]);
    const first = await done<Found>(visitor(), 'search', '--tag', 'marsupial', '--limit', '2');
    expect([first.listings.length, first.isComplete]).toEqual([2, false]);
    const none = await visitor().deck(['search', 'wombats', 'that-fly']);
    expect([none.code, none.stdout]).toEqual([0, 'No listing matches.\n']);
    expect((await refused(visitor(), 'search', '--kind', 'film')).exit).toBe(2);
  });

  test("a listing's texts cannot command the terminal", async () => {
    const folder = await aPushedFolder(publisher);
    const { slug } = await publish(folder, '--title', HOSTILE, '--description', HOSTILE, '--slug', 'pearls');
    for (const args of [
      ['search', 'pearls'],
      ['listing', slug],
    ]) {
      const { code, stdout } = await visitor().deck(args);
      expect([code, stdout.includes('Pearls')]).toEqual([0, true]);
      for (const character of ['\x1b', '\u202E']) expect(stdout).not.toContain(character);
    }
  });

  test('star and unstar change one star, remixes lists copies, and report reaches the operator once', async () => {
    const folder = await aPushedFolder();
    const { slug } = await publish(folder, '--description', 'To be starred');
    expect(await done(publisher, 'star', slug)).toMatchObject({ slug, starred: true, stars: 1 });
    expect(await done(publisher, 'star', slug)).toMatchObject({ stars: 1 });
    expect(await done(publisher, 'unstar', slug)).toMatchObject({ starred: false, stars: 0 });
    expect((await refused(visitor(), 'star', slug)).exit).toBe(3);

    const copy = `${testbed.folder}/remix-of-${slug}`;
    await done(publisher, 'remix', slug, copy, '--title', aTitle());
    const remix = await publish(copy, '--description', 'A remix');
    const { remixes } = await done<{ remixes: { slug: string }[] }>(visitor(), 'remixes', slug);
    expect(remixes.map((each) => each.slug)).toEqual([remix.slug]);
    const shown = await done<{ lineage: { slug: string }[] }>(visitor(), 'listing', remix.slug);
    expect(shown.lineage.map((each) => each.slug)).toEqual([slug]);

    expect(await done(visitor(), 'report', slug, '--reason', 'spam', '--message', 'x')).toMatchObject({
      reason: 'spam',
    });
    const stored: unknown[] = [];
    await testbed.withDatabase(async (database) => {
      const reports = await database.collection(`listingReports/${slug}/reports`).get();
      stored.push(...reports.docs.map((each) => (each.data() as { reason: string }).reason));
    });
    expect(stored).toEqual(['spam']);
    expect((await refused(visitor(), 'report', slug)).exit).toBe(2);
    expect((await refused(visitor(), 'report', slug, '--reason', 'dull')).exit).toBe(2);
  });

  test('a listing that does not exist, and a text that is not a slug, are told in the words of the client', async () => {
    for (const args of [['listing'], ['remixes'], ['star'], ['unstar'], ['report', '--reason', 'spam']]) {
      const [command = '', ...options] = args;
      const missing = await refused(publisher, command, 'no-such-listing', ...options);
      expect(missing).toMatchObject({ code: 'not-found', message: 'There is no listing no-such-listing.' });
      expect((await refused(publisher, command, 'Not A Slug', ...options)).code).toBe('usage');
    }
  });
});
