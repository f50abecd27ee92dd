import { atOnce, fullRefusal, outcomes, refusal } from '../../support/answers';
import { gateway } from '../../support/gateways';
import { detail, remixesOf, setTakedown } from '../../support/marketplace';
import { author, reader, remix, startRemixing, update, view, type Remix } from '../../support/remixes';
import { page, sha256, succeed, world, type Account, type DeckFile } from '../../support/world';

startRemixing();

interface Row {
  path: string;
  sha256: string;
}
interface Compared {
  version: number;
  source: { slug: string; version: number; latest: number };
  added: Row[];
  changed: { path: string; from: Row; to: Row }[];
  removed: Row[];
  both: { path: string; base: Row | null; here: Row | null; source: Row | null }[];
}

const text = (path: string, content: string): DeckFile => {
  return { path, bytes: Buffer.from(content), contentType: 'text/css; charset=utf-8' };
};
/** The state of a file with this content. */
const stateOf = (content: string) => expect.objectContaining({ sha256: sha256(content) }) as Row;
const nothing = { added: [], changed: [], removed: [], both: [] };

const compare = (deck: Remix, by = reader) =>
  world.call<Compared>('compareRemix', undefined, { path: `/${deck.presentationId}`, key: by.key });
const take = (deck: Remix, fields: object, by = reader, headers = {}) =>
  world.call<{ version: number; taken: number; sourceVersion: number }>(
    'updateRemix',
    { presentationId: deck.presentationId, expectedBaseVersion: 1, ...fields },
    { key: by.key, headers },
  );
const commit = async (owner: Account, presentationId: string, files: DeckFile[]) => {
  await world.uploadAll(owner, { presentationId }, files);
  await succeed(world.commit(owner, { presentationId }, files));
};

/** A listing with these files, and its remix. `show` makes the listing show other files. */
async function aSource(...files: DeckFile[]) {
  const source = await world.aListing(author, {}, await world.aDeck(author, files, 'Source'));
  const deck = await succeed(remix(reader, { slug: source.slug }));
  let version = 1;
  const show = async (...next: DeckFile[]) => {
    await commit(author, source.presentationId, next);
    await update(source.slug, { version: ++version });
  };
  return { ...source, deck, show };
}

/** The contents of the files of the current version. */
async function filesOf({ presentationId }: Remix): Promise<Record<string, string>> {
  type Version = { files: { path: string; sha256: string }[] };
  const path = `/${presentationId}/latest`;
  const { files } = await succeed(world.call<Version>('getPresentationVersion', undefined, { path, key: reader.key }));
  return Object.fromEntries(files.map((file) => [file.path, file.sha256]));
}
const hashes = (...files: DeckFile[]) => Object.fromEntries(files.map(({ path, bytes }) => [path, sha256(bytes)]));

test('a remix takes what only its source changed, as a version with the files of both', async () => {
  const [logo, old, own] = [text('logo.css', 'logo'), text('old.css', 'old'), page('Of the remix')];
  const { slug, deck, presentationId } = await aSource(page('Source'), logo, old);
  await commit(reader, deck.presentationId, [own, logo, old]);
  await commit(author, presentationId, [page('Not listed')]);
  expect((await succeed(compare(deck))).source).toEqual({ slug, version: 1, latest: 1 });

  const [newer, more] = [text('logo.css', 'a new logo'), text('more/b.css', 'more')];
  await commit(author, presentationId, [page('Source'), newer, more]);
  await update(slug, { version: 3 });
  const compared = await succeed(compare(deck));
  expect(compared).toMatchObject({ version: 2, source: { slug, version: 1, latest: 3 }, both: [] });
  const changed = [{ path: 'logo.css', from: stateOf('logo'), to: stateOf('a new logo') }];
  expect(compared).toMatchObject({ added: [{ path: 'more/b.css' }], changed, removed: [{ path: 'old.css' }] });

  const answer = await succeed(take(deck, { expectedBaseVersion: 2 }));
  expect(answer).toMatchObject({ version: 3, taken: 3, sourceVersion: 3, fileCount: 3 });
  expect(await filesOf(deck)).toEqual(hashes(own, newer, more));
  expect(await view(deck)).toContain('Of the remix');
  expect(await view(deck, 'more/b.css')).toBe('more');
  expect(await succeed(compare(deck))).toMatchObject({ version: 3, source: { version: 3, latest: 3 }, ...nothing });
  expect(await succeed(take(deck, { expectedBaseVersion: 3 }))).toMatchObject({ version: 3, taken: 0 });
});

test('files that both changed are conflicts, until they are merged; the base of the next merge is kept', async () => {
  const { slug, deck, show } = await aSource(page('Source'), text('a.css', '1'), text('b.css', '1'));
  await commit(reader, deck.presentationId, [page('Source'), text('a.css', '2'), text('b.css', '1')]);
  await show(page('Source'), text('a.css', '3'), text('b.css', '3'));
  const at = { expectedBaseVersion: 2 };
  expect(await fullRefusal(take(deck, at))).toEqual([409, 'conflict', { paths: ['a.css'] }]);
  expect(await fullRefusal(take(deck, { ...at, paths: ['a.css'] }))).toEqual([409, 'conflict', { paths: ['a.css'] }]);
  expect(await succeed(take(deck, { ...at, paths: ['b.css', 'unknown'] }))).toMatchObject({ version: 3, taken: 1 });
  expect(await succeed(compare(deck))).toMatchObject({
    source: { version: 2 },
    ...nothing,
    both: [{ path: 'a.css', base: stateOf('1'), here: stateOf('2'), source: stateOf('3') }],
  });

  const merged = { expectedBaseVersion: 3, merged: ['a.css'] };
  const stale = { slug, latest: 2, sourceVersion: 1 };
  expect(await fullRefusal(take(deck, { ...merged, sourceVersion: 1 }))).toEqual([409, 'conflict', stale]);
  expect(await succeed(take(deck, { ...merged, sourceVersion: 2 }))).toMatchObject({ version: 3, taken: 0 });
  expect(await succeed(compare(deck))).toMatchObject(nothing);
  expect(await view(deck, 'a.css')).toBe('2');

  await show(page('Source'), text('a.css', '4'), text('b.css', '3'));
  const { both } = await succeed(compare(deck));
  expect(both).toMatchObject([{ base: stateOf('3'), here: stateOf('2'), source: stateOf('4') }]);
  const address = `downloadPresentationAsset/${deck.presentationId}?sha256=${sha256(Buffer.from('3'))}`;
  const base = await fetch(`${world.cloud.baseUrl}/${address}`, { headers: { authorization: `Bearer ${reader.key}` } });
  expect(await base.text()).toBe('3');
});

test('an update that removes the entry of the deck opens that of the source', async () => {
  const { slug, deck, presentationId } = await aSource(page('Source'));
  const start = { ...page('Start'), path: 'start.html' };
  await world.uploadAll(author, { presentationId }, [start]);
  await succeed(world.commit(author, { presentationId, entryPath: 'start.html' }, [start]));
  await update(slug, { version: 2 });
  await succeed(take(deck, {}));
  expect(await view(deck)).toContain('Start');
});

test('is refused as a commit is: from an older version, and for files beyond the plan', async () => {
  const { deck, slug, show } = await aSource(page('Source'));
  const free = await world.anOwner();
  const small = await succeed(remix(free, { slug }));
  await show({ ...page('Large'), bytes: Buffer.alloc(12 * 1024 * 1024, ' ') });
  expect(await refusal(take(small, {}, free))).toEqual([413, 'payload-too-large']);
  expect(await refusal(take(deck, { expectedBaseVersion: 7 }))).toEqual([409, 'conflict']);
});

test('of calls at the same time one makes the version; a repeated one with its key answers the same', async () => {
  const { deck, show } = await aSource(page('Source'));
  await show(page('Source'), text('a.css', 'new'));
  const made = await atOnce(3, () => take(deck, {}));
  expect(outcomes(made)).toEqual({ ok: 1, conflict: 2 });
  await show(page('Source'), text('a.css', 'newer'));
  const again = () => take(deck, { expectedBaseVersion: 2 }, reader, { 'idempotency-key': 'k1' });
  expect((await again()).data).toMatchObject({ version: 3, taken: 1 });
  expect((await again()).data).toMatchObject({ version: 3, taken: 1 });
});

test('an update that began before a merge of the same version is refused, and the merge is kept', async () => {
  const { deck, show } = await aSource(page('Source'), text('a.css', '1'), text('b.css', '1'));
  await commit(reader, deck.presentationId, [page('Source'), text('a.css', '2'), text('b.css', '1')]);
  const newer = text('b.css', 'newer');
  await show(page('Source'), text('a.css', '3'), newer);
  const isCopy = ({ address }: { address: string }) =>
    address.includes('/rewriteTo/') && address.includes(sha256(newer.bytes));
  const held = gateway.hold('request', isCopy);
  const early = take(deck, { expectedBaseVersion: 2, paths: ['b.css'] });
  await held.until(early);
  await succeed(take(deck, { expectedBaseVersion: 2, paths: [], merged: ['a.css'] }));
  held.release();
  expect(await refusal(early)).toEqual([409, 'conflict']);
  expect(await succeed(compare(deck))).toMatchObject({ version: 2, both: [], changed: [{ path: 'b.css' }] });
});

test('a source that is not public answers its state, and another deck that it is no remix', async () => {
  const { slug, deck, presentationId } = await aSource(page('Source'));
  const answers = async () => [await fullRefusal(compare(deck)), await fullRefusal(take(deck, {}))];
  const both = (state: string) => Array(2).fill([409, 'conflict', { slug, state }]);
  await update(slug, { status: 'unlisted' });
  expect(await answers()).toEqual(both('unlisted'));
  await update(slug, { status: 'public' });
  await setTakedown(slug, { at: new Date(), reason: 'Spam' });
  expect(await answers()).toEqual(both('taken-down'));
  await setTakedown(slug, null);
  await succeed(world.call('deletePresentation', { presentationId }, { key: author.key }));
  expect(await answers()).toEqual(both('deleted'));
  const other = (await world.aDeck(reader)) as unknown as Remix;
  expect(await refusal(compare(other))).toEqual([409, 'conflict']);
});

test('the listing of a remix says how many files it changed', async () => {
  const { slug, deck } = await aSource(page('Source'), text('a.css', '1'), text('b.css', '1'));
  await commit(reader, deck.presentationId, [page('Mine'), text('a.css', '1'), text('c.css', '1'), text('d.css', '1')]);
  const listed = await world.aListing(reader, {}, deck);
  const changes = { added: 2, changed: 1, removed: 1 };
  expect((await detail(listed.slug)).data).toMatchObject({ changes });
  expect((await detail(slug)).data).toMatchObject({ changes: null });
  expect((await remixesOf(slug)).data.remixes).toMatchObject([{ slug: listed.slug, changes }]);
  await succeed(world.call('updateMarketplaceListing', { slug: listed.slug, version: 1 }, reader));
  expect((await detail(listed.slug)).data).toMatchObject({ changes: { added: 0, changed: 0, removed: 0 } });
});
