import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aNewFolder, filesOf, PAGE } from './pulled-folders';
import { aListing, aPushedFolder, aTitle, decksOf, publish, publisher, remix, type Listed } from './publisher';
import { aRemix, base, lines, next, update, type Updated } from './publisher';
import * as bed from './testbed';
import { computer, deckFileOf, fill, inTerminal, push, refused, testbed, words } from './testbed';

/** What the client does with the marketplace: `publish`, `search`, `star`, `remix`, `remix --update` and the like. */
export function proveMarketplace(): void {
  const refusedPublish = (...args: string[]) => publisher.refused('publish', ...args);
  const slugKept = async (folder: string) => (await deckFileOf(folder)).listing;

  /** A call of the service itself. */
  async function call<T>(path: string): Promise<T> {
    const response = await fetch(`${testbed.baseUrl}/${path}`);
    return ((await response.json()) as { data: T }).data;
  }
  const listing = (slug: string) => call<Listed>(`getMarketplaceListing?slug=${slug}`);
  async function isListed(slug: string): Promise<boolean> {
    const { listings } = await call<{ listings: Listed[] }>('listMarketplaceListings?limit=100');
    return listings.some((each) => each.slug === slug);
  }

  test('deck list shows title, version, views and share link of the user’s decks on all pages, and no deck of others', async () => {
    const owner = await testbed.aSignedInComputer();
    expect((await owner.deck(['list'])).stdout).toContain('deck push <folder>');
    const { shareUrl } = await bed.aDeck({ 'index.html': '<title>Our &amp; only\u009b2J</title>' }, owner);
    const list = async () => (await owner.done<{ decks: { id: string }[] }>('list')).decks;
    const row = { title: 'Our & only 2J', version: 1, role: 'owner', totalViews: 0, shareUrl };
    const [own, ...others] = await list();
    expect([own, others]).toEqual([expect.objectContaining(row), []]);
    const { stdout } = await owner.deck(['list']);
    for (const part of ['Our & only 2J', 'version 1', '0 views', shareUrl, own!.id]) expect(stdout).toContain(part);

    await testbed.withDatabase(async (database) => {
      const presentations = database.collection('presentations');
      const record = (await presentations.doc(own!.id).get()).data()!;
      const batch = database.batch();
      for (let made = 1001; made < 1101; made++) {
        const presentationId = `${own!.id.slice(0, -4)}${made}`;
        const copy = { ...record, presentationId, firstTokens: [], latestTokens: [] };
        batch.create(presentations.doc(presentationId), copy);
      }
      await batch.commit();
    });
    testbed.proxy.reset();
    expect(new Set((await list()).map(({ id }) => id)).size).toBe(101);
    expect(testbed.proxy.calls['listMyPresentations']).toBe(2);
  });

  describe('deck publish', () => {
    test('lists the deck with the fields that the options name, once although the first answer is lost', async () => {
      const title = aTitle();
      const folder = await aPushedFolder(publisher, title);
      await writeFile(join(folder, 'more.txt'), 'x');
      await publisher.done('push', folder);
      const tags = '--tag Talks --tag web --stack reveal.js --category Learning --interactive'.split(' ');
      testbed.proxy.loseAnswer('publishMarketplaceListing');
      const published = await publish(folder, '--description', 'All about it.', '--version', '1', ...tags);
      const slug = title.toLowerCase().replaceAll(' ', '-');
      const marketplaceUrl = expect.stringMatching(`/marketplace/${slug}$`) as string;
      const answer = { status: 'published', slug, kind: 'presentation', interactive: true, version: 1, marketplaceUrl };
      expect(published).toMatchObject(answer);
      const fields = { tags: ['talks', 'web'], techStack: ['reveal.js'], category: 'Learning' };
      expect(await listing(slug)).toMatchObject({ title, description: 'All about it.', version: 1, ...fields });
      expect([await isListed(slug), await slugKept(folder)]).toEqual([true, slug]);
    });

    test('again shows the current version, changes the named fields and keeps the others', async () => {
      const folder = await aPushedFolder();
      const { slug } = await publish(folder, '--description', 'First', '--tag', 'kept', '--kind', 'plan');
      await writeFile(join(folder, 'more.txt'), 'x');
      await publisher.done('push', folder);
      expect(await listing(slug)).toMatchObject({ version: 1 });
      const updated = await publish(folder, '--title', 'Another title');
      expect(updated).toMatchObject({ status: 'updated', slug, version: 2, kind: 'plan' });
      const fields = { title: 'Another title', description: 'First', tags: ['kept'], version: 2 };
      expect(await listing(slug)).toMatchObject(fields);
      const { stdout } = await publisher.deck(['publish', folder]);
      expect(stdout).toMatch(new RegExp(`Updated the listing ${slug}.* version 2[^]*/marketplace/${slug}`));
    });

    test('finds the listing of a deck whose folder does not name it; the folder of another deck forgets it', async () => {
      const folder = await aPushedFolder();
      const { slug } = await publish(folder, '--description', 'First');
      await fill(folder, { '.deck.json': JSON.stringify({ ...(await deckFileOf(folder)), listing: undefined }) });
      const found = await publish(folder, '--description', 'Second', '--slug', slug);
      expect(found).toMatchObject({ status: 'updated', slug });
      expect([await slugKept(folder), await listing(slug)]).toMatchObject([slug, { description: 'Second' }]);
      const conflict = await refusedPublish(folder, '--slug', 'another-one');
      expect(conflict).toMatchObject({ code: 'conflict', message: words(slug) });
      await publisher.done('push', folder, '--new');
      expect(await slugKept(folder)).toBeUndefined();
      // The listing still has the slug.
      const taken = await refusedPublish(folder, '--description', 'Mine', '--slug', slug);
      expect(taken).toMatchObject({ code: 'conflict', message: 'Another listing has this slug.' });
    });

    test('needs a key that may publish, a pushed folder and an own deck, and says what to do first', async () => {
      const x = ['--description', 'x'];
      const { folder } = await bed.aDeck();
      const nextAction = 'Run `deck login --publish` for a key with the scope marketplace:publish.';
      const noScope = { code: 'permission-denied', nextAction, details: { requiredScope: 'marketplace:publish' } };
      expect(await refused('publish', folder, ...x)).toMatchObject(noScope);
      const byKey = await computer.deck(['publish', folder, ...x, '--json'], { DECK_API_KEY: await computer.key() });
      expect(byKey.json()).toMatchObject({ error: { nextAction: words('DECK_API_KEY lacks the scope') } });
      const ofOther = { code: 'permission-denied', nextAction: words('deck whoami') };
      expect(await refusedPublish(folder, ...x)).toMatchObject(ofOther);
      const unpushed = await testbed.aFolder({ 'index.html': 'x' });
      const pushFirst = { code: 'not-pushed', nextAction: words(`Push it first: deck push ${unpushed}.`) };
      expect(await refusedPublish(unpushed)).toMatchObject(pushFirst);
      expect((await testbed.aComputer().refused('publish', folder)).code).toBe('not-signed-in');
    });

    test('names the options that the service refuses, and sends nothing for a wrong use', async () => {
      const folder = await aPushedFolder();
      const wrong = ['--tag', 'fine', '--tag', 'no good', '--stack', 'Reveal', '--slug', 'A B'];
      const { details } = await refusedPublish(folder, '--description', 'x', ...wrong);
      const { errors } = details as { errors: { location: string }[] };
      expect(errors.map(({ location }) => location).sort()).toEqual(['--slug', '--stack', '--tag']);
      testbed.proxy.reset();
      for (const [text, ...options] of [
        ['A new listing needs a description.'],
        ['presentation, app, plan', '--description', 'x', '--kind', 'film'],
        ['whole number', '--description', 'x', '--version', 'last'],
      ] as [string, ...string[]][]) {
        const wrongUse = { code: 'usage', exit: 2, message: words(text) };
        expect(await refusedPublish(folder, ...options)).toMatchObject(wrongUse);
      }
      expect(testbed.proxy.calls).toEqual({});
    });

    inTerminal('asks for the description in a terminal', async () => {
      const folder = await aPushedFolder();
      const screen = publisher.inTerminal(['publish', folder]);
      await screen.answer('Description, in one or two lines:', '');
      await screen.answer('1 to 500 characters', 'All that I know.');
      await screen.shows('/marketplace/');
      expect(await screen.exitCode()).toBe(0);
      expect(await listing(String(await slugKept(folder)))).toMatchObject({ description: 'All that I know.' });
    });
  });

  describe('deck unpublish', () => {
    test('unlists the listing, by folder or slug, and publishing lists it again; what is not published is refused', async () => {
      const folder = await aPushedFolder();
      const notPublished = { code: 'not-published', nextAction: words('deck unpublish --slug <slug>') };
      expect(await publisher.refused('unpublish', folder)).toMatchObject(notPublished);
      const { slug } = await publish(folder, '--description', 'x');
      for (const named of [[folder], ['--slug', slug]]) {
        expect(await publisher.done('unpublish', ...named)).toMatchObject({ status: 'unlisted', slug });
        expect(await isListed(slug)).toBe(false);
        await publish(folder);
      }
      const { stdout } = await publisher.deck(['unpublish', '--slug', slug]);
      expect(stdout).toContain('Everyone who has its address can still open it');
      await publish(folder);
      for (const [by, name, expected] of [
        [publisher, 'no-such-listing', { code: 'not-found' }],
        [publisher, '/etc', { code: 'usage' }],
        [await testbed.aPublisher(), slug, { code: 'permission-denied' }],
        [computer, slug, { nextAction: words('deck login --publish') }],
        [testbed.aComputer(), slug, { code: 'not-signed-in' }],
      ] as const)
        expect(await by.refused('unpublish', '--slug', name)).toMatchObject(expected);
      for (const words of [['no-such-folder'], [folder, '--slug', slug]])
        expect(await publisher.refused('unpublish', ...words)).toMatchObject({ code: 'usage' });
      expect(await isListed(slug)).toBe(true);
    });
  });

  describe('the marketplace from a terminal', () => {
    /** A computer on which nobody is signed in. */
    const visitor = () => testbed.aComputer();

    test('search, remixes, listing and report need no key; a star needs one', async () => {
      const { slug } = await publish(await aPushedFolder(), '--description', 'About wombats', '--tag', 'marsupial');
      const copy = aNewFolder();
      await publisher.done('remix', slug, copy, '--title', aTitle());
      const remix = await publish(copy, '--description', 'A remix', '--tag', 'marsupial', '--kind', 'app');
      for (const [isComplete, found, ...options] of [
        [true, slug, 'WOMBATS', 'about'],
        [true, remix.slug, '--kind', 'app'],
        [false, remix.slug, '--limit', '1'],
      ] as const) {
        const answer = await visitor().done('search', ...options, '--tag', 'marsupial');
        expect(answer).toMatchObject({ isComplete, listings: [{ slug: found }] });
      }
      const none = await visitor().deck(['search', 'wombats', 'that-fly']);
      expect([none.code, none.stdout]).toEqual([0, 'No listing matches.\n']);
      expect(await visitor().done('remixes', slug)).toMatchObject({ remixes: [{ slug: remix.slug }] });
      expect(await visitor().done('listing', remix.slug)).toMatchObject({ lineage: [{ slug }] });
      expect(await visitor().done('report', slug, '--reason', 'spam')).toMatchObject({ reason: 'spam' });
      for (const [exit, ...command] of [
        [3, 'star', slug],
        [2, 'search', '--kind', 'film'],
        [2, 'report', slug],
        [2, 'report', slug, '--reason', 'dull'],
      ] as const)
        expect([command, (await visitor().refused(...command)).exit]).toEqual([command, exit]);
    });

    test('a listing that does not exist, and a text that is not a slug, are told in the words of the client', async () => {
      const folder = aNewFolder();
      for (const [command, ...options] of [
        ['listing'],
        ['remixes'],
        ['star'],
        ['unstar'],
        ['report', '--reason', 'spam'],
        ['remix', folder],
      ] as [string, ...string[]][]) {
        const missing = await publisher.refused(command, 'no-such-listing', ...options);
        expect(missing).toMatchObject({ code: 'not-found', message: 'There is no listing no-such-listing.' });
        expect((await publisher.refused(command, '../Not A Slug', ...options)).code).toBe('usage');
      }
      expect((await visitor().refused('remix', 'some-listing', folder)).code).toBe('not-signed-in');
      await expect(stat(folder)).rejects.toThrow('ENOENT');
    });
  });

  describe('deck remix', () => {
    test('counts as a remix of the listing, has the title of --title, and makes a folder with the slug as its name', async () => {
      const slug = await aListing();
      const { stdout, stderr } = await computer.deck(['remix', slug, '--title', 'Mine now']);
      for (const part of [`Remixed Mine now into ${slug}`, `deck push ${slug}`]) expect(stdout).toContain(part);
      expect(stderr).toContain("contains its author's scripts");
      expect((await stat(join(testbed.folder, slug, 'index.html'))).isFile()).toBe(true);
      expect(await listing(slug)).toMatchObject({ remixCount: 1 });
      // An empty folder is accepted, a folder with content and a file are not.
      const folder = aNewFolder();
      await mkdir(folder);
      await remix(slug, folder);
      const before = await decksOf();
      const notEmpty = { code: 'folder-not-empty', nextAction: words('empty') };
      expect(await refused('remix', slug, folder)).toMatchObject(notEmpty);
      expect(await refused('remix', slug, join(folder, 'index.html'))).toMatchObject({ exit: 2 });
      expect(await decksOf()).toBe(before);
    });
  });

  const actions = ({ files }: Updated) => files.map(({ path, action }) => `${path} ${action}`);

  describe('deck remix --update', () => {
    test('takes what the source changed, merges what both changed, keeps what is not pushed, and asks no more after a push', async () => {
      const { folder, publishNext } = await aRemix(base);
      await fill(folder, { 'both.txt': lines('1', '2', 'three') });
      await push(folder);
      expect(await update(folder)).toMatchObject({ status: 'up-to-date', version: 2, files: [] });
      await publishNext(next);
      // Not pushed: a change of a file that the source changed too, and a file of its own.
      await fill(folder, { 'mine.txt': lines('one', '2', '3'), 'own.txt': 'own' });
      const before = await filesOf(folder);
      const expected = ['a.txt take', 'both.txt merge', 'gone.txt take', 'mine.txt take', 'new.txt take'];
      const planned = await update(folder, '--dry-run');
      expect([planned.status, planned.version, actions(planned)]).toEqual(['planned', 2, expected]);
      expect(await filesOf(folder)).toEqual(before);

      const updated = await update(folder);
      expect(updated).toMatchObject({ status: 'updated', version: 3, source: { version: 1, latest: 2 }, left: [] });
      expect(actions(updated)).toEqual(expected);
      const merged = {
        ...PAGE,
        'a.txt': 'two',
        'both.txt': lines('ONE', '2', 'three'),
        'mine.txt': lines('one', '2', 'THREE'),
        'new.txt': 'new',
        'own.txt': 'own',
      };
      expect(await filesOf(folder)).toEqual(merged);
      expect(await update(folder)).toMatchObject({ status: 'up-to-date', files: [] });
      // The service is told by the next push when it did not hear the first.
      testbed.proxy.answer('updateRemix', 404, { error: { code: 'not-found', message: 'x' } });
      expect(await push(folder)).toMatchObject({ status: 'pushed', version: 4, warnings: [{ code: 'merge-untold' }] });
      testbed.proxy.reset();
      expect(await push(folder)).toMatchObject({ status: 'unchanged', warnings: [] });
      expect(testbed.proxy.calls['updateRemix']).toBe(1);
      expect(await update(folder, '--dry-run')).toMatchObject({ status: 'planned', files: [] });
      expect(await push(folder)).toMatchObject({ status: 'unchanged' });
      expect(testbed.proxy.calls['updateRemix']).toBe(1);
    });

    test('is refused with the reason when nothing can be taken, and when the words do not fit', async () => {
      const { folder, slug } = await aRemix({});
      await publisher.done('unpublish', '--slug', slug);
      const gone = { code: 'conflict', message: words('is not public any more'), details: { state: 'unlisted' } };
      expect(await refused('remix', '--update', folder)).toMatchObject(gone);
      const { folder: plain } = await bed.aDeck();
      expect(await refused('remix', '--update', plain)).toMatchObject({ message: words('not a remix') });
      for (const options of [[], ['some-slug', '--mine'], ['--update', folder, 'more'], ['--update', '--title', 'x']])
        expect((await refused('remix', ...options)).code).toBe('usage');
    });
  });
}
