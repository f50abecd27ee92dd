import { blob, page, succeed, World, type Account, type Deck } from '../../support/world';

let world: World;
let owner: Account;
let deck: Deck;
beforeAll(async () => {
  world = await World.start();
  owner = await world.aPublisher();
});
beforeEach(async () => {
  deck = await world.aDeck(owner, [page('one')]);
});
afterAll(() => world.stop());

interface Row {
  id: string;
  title: string;
  updatedAt: string;
  picture: { sha256: string; contentType: string; size: number } | null;
  listing: { slug: string; status: string } | null;
  activeLinks: number;
}
interface Link {
  tokenId: string;
  name: string;
  shareUrl: string;
  accessCount: number;
  isPersonal?: true;
}
const call = <T>(name: string, body: object = {}) =>
  world.call<T>(name, { presentationId: deck.presentationId, ...body }, { key: owner.key });
const row = async () => {
  const { presentations } = await succeed(
    world.call<{ presentations: Row[] }>('listMyPresentations', undefined, { key: owner.key }),
  );
  return presentations.find(({ id }) => id === deck.presentationId)!;
};
const info = () =>
  succeed(
    world.call<{ title: string; tokens: Link[]; primaryShareUrl: string } & Row>(
      'getSharedPresentationInfo',
      undefined,
      {
        key: owner.key,
        query: { presentationId: deck.presentationId },
      },
    ),
  );
const rename = (title: string) => call<{ title: string }>('renamePresentation', { title });
const commit = (fields: object = {}) =>
  succeed(world.commit(owner, { presentationId: deck.presentationId, ...fields }, [page('one')]));

describe('a renamed deck', () => {
  test('has its new title everywhere but in its versions and its listing, and the same time of change', async () => {
    const { slug } = await world.aListing(owner, {}, deck);
    const before = await row();
    expect((await succeed(rename('  Sales, Q3 '))).title).toBe('Sales, Q3');
    expect(await row()).toEqual({ ...before, title: 'Sales, Q3' });
    expect((await info()).title).toBe('Sales, Q3');
    const query = { presentationId: deck.presentationId };
    const { versions } = await succeed(
      world.call<{ versions: { title: string }[] }>('listPresentationVersions', undefined, { key: owner.key, query }),
    );
    expect(versions.map(({ title }) => title)).toEqual(['A deck']);
    const listing = await succeed(
      world.call<{ title: string }>('getMarketplaceListing', undefined, { query: { slug } }),
    );
    expect(listing.title).toBe('A deck');
  });

  test('keeps the title at a commit without one, and takes that of a commit and of a restored version', async () => {
    await succeed(rename('Sales'));
    await commit();
    expect((await row()).title).toBe('Sales');
    await commit({ title: 'Costs' });
    expect((await row()).title).toBe('Costs');
    await succeed(rename('Plans'));
    await succeed(call('restorePresentationVersion', { version: 1 }));
    expect((await row()).title).toBe('A deck');
  });

  test.each(['', '  ', 'x'.repeat(256)])('is not called %j', async (title) => {
    expect((await rename(title)).status).toBe(400);
  });
});

describe('a renamed link', () => {
  test('keeps its address and its views, and shows its new name', async () => {
    await world.visit(world.viewUrl(deck));
    const { tokenId } = deck;
    const [before] = (await info()).tokens;
    const renamed = await succeed(call<Link>('renameShareToken', { tokenId, name: ' Board ' }));
    expect(renamed).toEqual({ ...before, name: 'Board' });
    expect((await info()).tokens).toEqual([renamed]);
    expect(renamed.accessCount).toBe(1);
    expect((await call('renameShareToken', { tokenId: 'x'.repeat(22), name: 'x' })).status).toBe(404);
  });

  test('is not one that waits until the provider has accepted its mail', async () => {
    const { presentationId, tokenId } = deck;
    const stored = world.database.doc(`presentations/${presentationId}/shareTokens/${tokenId}`);
    await stored.update({ isHeld: true });
    expect((await call('renameShareToken', { tokenId, name: 'Early' })).status).toBe(404);
    expect((await stored.get()).get('name')).toBe('default');
  });

  test('of a recipient stays personal under another name, and one for everybody never becomes personal', async () => {
    const list = async () => (await row()) as Row & { shareUrlIsPersonal?: true };
    await succeed(call('renameShareToken', { tokenId: deck.tokenId, name: 'for a@example.org' }));
    await succeed(call('setTokenVersionMode', { tokenId: deck.tokenId, versionMode: { type: 'pinned', version: 1 } }));
    expect((await list()).shareUrlIsPersonal).toBeUndefined();
    const { sent } = await succeed(
      call<{ sent: { tokenId: string }[] }>('sharePresentationViaEmail', { emails: ['grace@example.org'] }),
    );
    await succeed(call('renameShareToken', { tokenId: sent[0]!.tokenId, name: 'Grace' }));
    await succeed(call('unsharePresentation', { tokenId: deck.tokenId }));
    expect((await list()).shareUrlIsPersonal).toBe(true);
    expect((await info()).tokens.map(({ name, isPersonal }) => [name, isPersonal])).toEqual([
      ['for a@example.org', undefined],
      ['Grace', true],
    ]);
  });
});

describe('a row of the list of decks', () => {
  test('counts the links that are not revoked, through adds, mails, revocations and races', async () => {
    const links = async () => (await row()).activeLinks;
    expect(await links()).toBe(1);
    const added = await Promise.all(
      [1, 2, 3, 4].map((n) => succeed(call<Link>('addPresentationToken', { tokenName: `link ${n}` }))),
    );
    expect(await links()).toBe(5);
    await succeed(call('sharePresentationViaEmail', { emails: ['ada@example.org', 'alan@example.org'] }));
    expect(await links()).toBe(7);
    const revoke = () => call('unsharePresentation', { tokenId: added[0]!.tokenId });
    await Promise.all([revoke(), revoke(), revoke()]);
    const versionMode = { type: 'pinned', version: 1 };
    await succeed(call('setTokenVersionMode', { tokenId: added[1]!.tokenId, versionMode }));
    expect(await links()).toBe(6);
    await succeed(call('unsharePresentation', { all: true }));
    expect(await links()).toBe(0);
  });

  test('has the thumbnail of the current version, and the listing', async () => {
    const files = [page('one'), { ...blob(90, 'thumbnail.png'), contentType: 'image/png' }];
    deck = await world.aDeck(owner, files);
    const { picture, listing } = await row();
    expect(picture).toMatchObject({ contentType: 'image/png', size: 90 });
    expect(listing).toBeNull();
    const { slug } = await world.aListing(owner, {}, deck);
    expect((await row()).listing).toEqual({ slug, status: 'public' });
    expect(await info()).toMatchObject({ picture, listing: { slug, status: 'public' } });
    await world.uploadAll(owner, deck, [page('one')]);
    await commit();
    expect((await row()).picture).toBeNull();
    await succeed(call('restorePresentationVersion', { version: 1 }));
    expect((await row()).picture).toEqual(picture);
  });
});

test('a preview of a mail is the mail that would be sent, and sends and creates nothing', async () => {
  const texts = { message: 'Here <b>they</b> are.', subject: 'Numbers' };
  const links = (await info()).tokens.length;
  const preview = await succeed(call<Record<string, string>>('previewShareEmail', texts));
  expect((await info()).tokens).toHaveLength(links);
  expect(await world.mails('recipient@example.com')).toEqual([]);
  await succeed(call('sharePresentationViaEmail', { ...texts, emails: ['recipient@example.com'] }));
  const [mail] = await world.mails('recipient@example.com');
  const withoutSecrets = (text: string) => text.replace(/token=[\w-]+/g, 'token=').replace(/\/mail\/[\w-]+/g, '/mail/');
  expect(withoutSecrets(preview['html']!)).toBe(withoutSecrets(mail!.html));
  expect(withoutSecrets(preview['text']!)).toBe(withoutSecrets(mail!.text));
  expect([preview['subject'], mail!.subject]).toEqual(['Numbers', 'Numbers']);
});

test('a listing tells its callers whether they starred it', async () => {
  const { slug } = await world.aListing(owner, {}, deck);
  const seen = async (key?: string) => {
    const answer = await world.call<{ isStarred: boolean | null }>('getMarketplaceListing', undefined, {
      key,
      query: { slug },
    });
    return [answer.data.isStarred, answer.headers.get('cache-control')];
  };
  const fan = await world.aPublisher();
  const session = await world.aDashboardSession(fan);
  await succeed(world.call('starMarketplaceListing', { slug }, { key: session }));
  expect(await seen()).toEqual([null, 'public, max-age=60']);
  expect(await seen(owner.key)).toEqual([false, 'private, no-store']);
  expect(await seen(fan.key)).toEqual([true, 'private, no-store']);
  expect(await seen(session)).toEqual([true, 'private, no-store']);
  expect((await seen(await world.anAdmin()))[0]).toBeNull();
});
