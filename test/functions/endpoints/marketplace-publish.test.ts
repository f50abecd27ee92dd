import { authorIdOf } from '../../../functions/src/policy/listings';
import { passSeconds } from '../../support/clock';
import {
  contentUrl,
  detail,
  find,
  list,
  newPage,
  owner,
  problems,
  publish,
  push,
  startMarketplace,
  update,
  world,
} from '../../support/marketplace';
import { page, succeed } from '../../support/world';

startMarketplace();

describe('publishMarketplaceListing', () => {
  test('lists the current version of a deck under a slug made from its title', async () => {
    const { presentationId } = await world.aDeck(owner, [page()], 'Q3 Roadmap — 2026');
    await push(presentationId);
    const answer = await publish(owner, { presentationId });
    expect(answer.data).toEqual({
      slug: 'q3-roadmap-2026',
      kind: 'presentation',
      interactive: false,
      version: 2,
      status: 'public',
      marketplaceUrl: `${world.cloud.marketplaceUrl}/marketplace/q3-roadmap-2026`,
    });
    expect(await find('q3-roadmap-2026')).toEqual({
      ...answer.data,
      ...{ title: 'Q3 Roadmap — 2026', description: 'Worth a look.', category: null, tags: [], techStack: [] },
      ...{ stars: 0, remixCount: 0, weekRemixCount: 0, viewCount: 0, remixedFromSlug: null, remixedFromTitle: null },
      ...{ author: { authorId: authorIdOf(owner.userId), displayName: 'Ada' }, picture: null },
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
    });
  });

  test('accepts every optional field of a listing', async () => {
    const { presentationId } = await world.aDeck(owner);
    await push(presentationId);
    const said = {
      slug: 'a-chosen-slug',
      title: ' Own title ',
      description: ' Two\nlines ',
      category: 'Business',
      tags: ['Sales', 'q3', 'sales'],
      techStack: ['reveal.js', 'c++'],
    };
    await succeed(publish(owner, { presentationId, ...said, version: 1, interactive: true }));
    expect(await find('a-chosen-slug')).toMatchObject({
      ...{ title: 'Own title', description: 'Two\nlines', category: 'Business', version: 1, interactive: true },
      ...{ tags: ['sales', 'q3'], techStack: ['reveal.js', 'c++'] },
    });
  });

  test('an app is interactive, whatever the input says', async () => {
    const { presentationId } = await world.aDeck(owner);
    const { data } = await publish(owner, { presentationId, kind: 'app', interactive: false });
    expect(data.interactive).toBe(true);
  });

  test.each<[Record<string, unknown>, string[]]>([
    [{ kind: undefined }, ['body.kind']],
    [{ kind: 'deck' }, ['body.kind']],
    [{ description: undefined }, ['body.description']],
    [{ description: ' ' }, ['body.description']],
    [{ description: 'x'.repeat(501) }, ['body.description']],
    [{ title: 'x'.repeat(256) }, ['body.title']],
    [{ category: 'x'.repeat(61) }, ['body.category']],
    [{ tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, ['body.tags']],
    [{ tags: ['ok', 'not ok', 'ü'] }, ['body.tags[1]', 'body.tags[2]']],
    [{ techStack: ['React'] }, ['body.techStack[0]']],
    [{ version: 2 }, ['body.version']],
    [{ version: 0 }, ['body.version']],
    ...['ab', 'Upper', 'two--hyphens', '-a-b', 'a_b', 'ünï', 'x'.repeat(81), 'search', 'admin'].map(
      (slug): [Record<string, unknown>, string[]] => [{ slug }, ['body.slug']],
    ),
  ])('refuses %j', async (fields, locations) => {
    const { presentationId } = await world.aDeck(owner);
    expect(problems(await publish(owner, { presentationId, ...fields }))).toEqual([400, 'invalid-argument', locations]);
  });

  test('a deck has one listing, however many calls publish it at once', async () => {
    const { presentationId } = await world.aDeck(owner);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => publish(owner, { presentationId, slug: `race-of-one-deck-${i}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    const { listings } = (await list({ limit: '100' })).data;
    expect(listings.filter(({ slug }) => slug.startsWith('race-of-one-deck'))).toHaveLength(1);
    const again = await publish(owner, { presentationId });
    expect([again.status, again.error.details]).toEqual([
      409,
      { slug: expect.stringMatching(/^race-of-one-deck-\d$/), reason: 'deck-is-listed' },
    ]);
  });

  test('a slug belongs to one deck, however many calls request it at once', async () => {
    const decks = await Promise.all(Array.from({ length: 6 }, () => world.aDeck(owner)));
    const answers = await Promise.all(
      decks.map(({ presentationId }) => publish(owner, { presentationId, slug: 'wanted-by-all' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect(refused.error.details).toEqual({ slug: 'wanted-by-all', reason: 'slug-is-taken' });
  });

  test('decks with the same title get different slugs, also when they are published at once', async () => {
    const decks = await Promise.all(Array.from({ length: 6 }, () => world.aDeck(owner, [page()], 'The same title')));
    const slugs = await Promise.all(
      decks.map(async ({ presentationId }) => (await publish(owner, { presentationId })).data.slug),
    );
    expect(new Set(slugs).size).toBe(6);
    expect(slugs.filter((slug) => slug === 'the-same-title')).toHaveLength(1);
    for (const slug of slugs) expect(slug).toMatch(/^the-same-title(-[a-z0-9]{6})?$/);
  });

  test.each([
    ['你好，世界', /^ni-hao-shi-jie$/],
    ['Привет мир', /^privet-mir$/],
    ['العربية', /^[a-z-]{3,}$/],
    ['🚀🚀', /^deck-[a-z0-9]{6}$/],
    ['AI', /^ai-[a-z0-9]{6}$/],
    ['Search', /^search-[a-z0-9]{6}$/],
    ['ab '.repeat(80), /^(ab-)+ab$/],
  ])('a title in any script has a slug: %s', async (title, slug) => {
    const { presentationId } = await world.aDeck(owner, [page()], title);
    expect((await publish(owner, { presentationId })).data.slug).toMatch(slug);
  });

  test('calls with one Idempotency-Key publish once', async () => {
    const { presentationId } = await world.aDeck(owner);
    const headers = { 'idempotency-key': 'once' };
    const [first, second] = [
      await publish(owner, { presentationId }, headers),
      await publish(owner, { presentationId }, headers),
    ];
    expect(second.data).toEqual(first.data);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  test('an admin key cannot publish, and a deck that was taken down cannot be published', async () => {
    const { presentationId } = await world.aDeck(owner);
    const deck = world.database.doc(`presentations/${presentationId}`);
    await deck.update({ takedown: { at: new Date(), reason: 'Spam' } });
    expect((await publish(owner, { presentationId })).status).toBe(409);
    const key = await world.anAdmin();
    expect((await publish({ ...owner, key }, { presentationId })).error.code).toBe('permission-denied');
  });
});

test('a text that is not valid Unicode is refused, and the error names its field', async () => {
  const { presentationId } = await world.aDeck(owner);
  const body = `{"presentationId":"${presentationId}","kind":"plan","description":"a\\ud800b","tags":["x","\\udc00"]}`;
  const answer = await world.call('publishMarketplaceListing', body, {
    key: owner.key,
    headers: { 'content-type': 'application/json' },
  });
  expect(problems(answer)).toEqual([400, 'invalid-argument', ['body.description', 'body.tags[1]']]);
});

describe('updateMarketplaceListing', () => {
  test('changes the given fields and no others', async () => {
    const { slug } = await world.aListing(owner, { tags: ['one'], category: 'Old' });
    const before = (await detail(slug)).data;
    const changed = await succeed(update(owner, { slug, title: 'New title', category: null }));
    expect(changed).toMatchObject({ slug, title: 'New title', category: null, tags: ['one'] });
    expect(changed.createdAt).toBe(before.createdAt);
    expect(changed.updatedAt > before.updatedAt).toBe(true);
    expect((await detail(slug)).data).toMatchObject({ ...changed });
  });

  test('unlists and lists again: an unlisted listing is in no list and keeps its slug', async () => {
    const { slug } = await world.aListing(owner);
    await succeed(update(owner, { slug, status: 'unlisted' }));
    expect(await find(slug)).toBeUndefined();
    expect((await detail(slug)).data.status).toBe('unlisted');
    expect(await world.visit(contentUrl(slug))).toBe(200);
    await succeed(update(owner, { slug, status: 'public' }));
    expect(await find(slug)).toMatchObject({ slug });
  });

  test('a listing that becomes an app becomes interactive, and stays interactive while it is an app', async () => {
    const { slug } = await world.aListing(owner);
    expect((await update(owner, { slug, kind: 'app' })).data.interactive).toBe(true);
    expect((await update(owner, { slug, interactive: false })).data.interactive).toBe(true);
    expect((await update(owner, { slug, kind: 'plan', interactive: false })).data.interactive).toBe(false);
  });

  test('changes the version that the listing shows', async () => {
    const { slug, presentationId } = await world.aListing(owner);
    const second = newPage();
    await push(presentationId, [second]);
    expect((await update(owner, { slug, version: 2 })).data.version).toBe(2);
    expect(await (await fetch(contentUrl(slug))).text()).toBe(second.bytes.toString());
    expect(problems(await update(owner, { slug, version: 9 }))).toEqual([400, 'invalid-argument', ['body.version']]);
  });

  test('two parallel changes are both stored', async () => {
    const { slug } = await world.aListing(owner);
    await Promise.all([update(owner, { slug, title: 'Both' }), update(owner, { slug, description: 'Count' })]);
    expect((await detail(slug)).data).toMatchObject({ title: 'Both', description: 'Count' });
  });

  test('refuses a call without changes, a stranger and an unknown slug', async () => {
    const { slug } = await world.aListing(owner);
    expect(problems(await update(owner, { slug }))).toEqual([400, 'invalid-argument', ['body.slug']]);
    const stranger = await world.aPublisher();
    expect((await update(stranger, { slug, title: 'Mine' })).error.code).toBe('permission-denied');
    for (const unknown of ['nobody-has-this', '__x__', 'a/b', 'X']) {
      expect((await update(owner, { slug: unknown, title: 'x' })).status).toBe(404);
    }
  });
});

test('an organization publishes twenty new listings in a day, however many calls race', async () => {
  const publisher = await world.aPublisher();
  const decks = await Promise.all(Array.from({ length: 23 }, () => world.aDeck(publisher)));
  const first = await Promise.all(decks.map(({ presentationId }) => publish(publisher, { presentationId })));
  const refused = first.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(3);
  for (const { status, error, headers } of refused) {
    expect([status, error.code]).toEqual([429, 'rate-limited']);
    expect(error.details).toEqual({
      ...{ limit: 20, actual: 21, plan: 'free', windowSeconds: 86_400 },
      retryInSeconds: expect.any(Number) as number,
    });
    expect(headers.get('retry-after')).toBe(String(error.details!['retryInSeconds']));
  }
  const again = async () => {
    const { presentationId } = decks[first.findIndex(({ status }) => status !== 200)]!;
    return (await publish(publisher, { presentationId })).status;
  };
  passSeconds(86_340);
  expect(await again()).toBe(429);
  passSeconds(60);
  expect(await again()).toBe(200);
});
