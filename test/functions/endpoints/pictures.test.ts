import { beginPictureTask } from '../../../functions/src/records/picture-tasks';
import { MAX_PICTURE_ATTEMPTS } from '../../../functions/src/policy/picture-attempts';
import type { MadePicture } from '../../../functions/src/records/presentations';
import { sizeOfPicture } from '../../../functions/src/values/picture-size';
import { atOnce } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { requestLocally } from '../../support/deck-origin';
import { each } from '../../support/each';
import { detail, owner, push, startMarketplace, update } from '../../support/marketplace';
import { makePictures, pictureFile, png } from '../../support/pictures';
import { page, sha256, succeed, type Deck, world } from '../../support/world';

/** A job makes the pictures that pages show. A given picture is never shown as it is. */

startMarketplace();

const given = pictureFile('thumbnail.png', 'image/png', png(2400, 1350));
const fieldOf = async (path: string, field: string) => (await world.database.doc(path).get()).get(field) as unknown;
const pictureOf = (path: string) => fieldOf(path, 'picture') as Promise<MadePicture | null | undefined>;
const deckPath = ({ presentationId }: Pick<Deck, 'presentationId'>) => `presentations/${presentationId}`;
const taskPath = ({ presentationId }: Pick<Deck, 'presentationId'>, version = 1) =>
  `pictureTasks/${presentationId}-${version}`;
const taskOf = async (deck: Pick<Deck, 'presentationId'>, version = 1) =>
  (await world.database.doc(taskPath(deck, version)).get()).data();
const textOf = async (url: string) => (await requestLocally(url)).text;
/** The pages and answers that show the picture of a deck and its listing, as text. */
const shownBy = async ({ shareUrl }: Deck, slug: string) => {
  const url = `${world.cloud.marketplaceUrl}/marketplace`;
  const embed = `${world.cloud.marketplaceUrl}/oembed?${new URLSearchParams({ url: `${url}/${slug}` }).toString()}`;
  return Promise.all([shareUrl, `${url}/${slug}`, `${url}?tag=${slug}`, embed].map(textOf));
};

test('cards, pages, oEmbed and link previews show the made picture, and none before the job has run', async () => {
  const deck = await world.aDeck(owner, [page(), given]);
  const { slug } = await world.aListing(owner, { slug: 'pictured', tags: ['pictured'] }, deck);
  const before = await shownBy(deck, slug);
  expect(before.filter((text) => /og:image|<img/.test(text))).toEqual([]);
  expect(before.map((text) => text.includes('class="picture drawn')).slice(1, 3)).toEqual([true, true]);

  await makePictures();
  const { picture } = await succeed(detail(slug));
  const made = Buffer.from(await (await fetch(picture!.url)).arrayBuffer());
  expect(sizeOfPicture(made)).toEqual({ width: 1200, height: 675 });
  expect([made.length, picture!.contentType]).toEqual([picture!.size, 'image/jpeg']);
  const [sharePage, ...others] = await shownBy(deck, slug);
  const [, inShare] = /og:image" content="([^"]*)"/.exec(sharePage!)!;
  const { headers } = await requestLocally(inShare!);
  expect(headers).toMatchObject({ 'content-length': String(made.length), etag: `"${sha256(made)}"` });
  for (const text of each(others)) expect(text.replaceAll('&amp;', '&')).toContain(picture!.url);
  for (const text of [sharePage, ...others]) expect(text).not.toMatch(/(src|content)="[^"]*thumbnail/);
  // The dashboard gets the same picture.
  const { versions } = await succeed(
    world.call<{ versions: { picture: object }[] }>('listPresentationVersions', undefined, {
      key: owner.key,
      query: { presentationId: deck.presentationId },
    }),
  );
  const hash = sha256(made);
  expect(versions[0]!.picture).toEqual({ sha256: hash, contentType: 'image/jpeg', size: made.length });
  const query = { presentationId: deck.presentationId, version: '1', sha256: hash };
  const answer = await world.call('downloadPresentationAsset', undefined, { key: owner.key, query });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
});

test.each([
  ['has too many pixels', png(16_000, 16_000)],
  ['is cut off', png(640, 360).subarray(0, 60)],
  ['is an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>')],
  ['is not a picture', Buffer.from('No picture.')],
  [
    'has too many pixels in all its frames',
    Buffer.concat([
      Buffer.from('GIF89a\x80\x02\x68\x01\x00\x00\x00', 'latin1'),
      ...Array<Buffer>(80).fill(Buffer.from(`2c0000000080026801${'80'}${'00'.repeat(6)}02014400`, 'hex')),
      Buffer.from(';'),
    ]),
  ],
])('a file that %s leaves its version without a picture, for good', async (_what, bytes) => {
  const deck = await world.aDeck(owner, [page(), { path: 'thumbnail.png', contentType: 'image/png', bytes }]);
  const { slug } = await world.aListing(owner, {}, deck);
  await makePictures();
  const stored = [deckPath(deck), `${deckPath(deck)}/versions/1`, `listings/${slug}`].map(pictureOf);
  expect([...(await Promise.all(stored)), await taskOf(deck)]).toEqual([null, null, null, undefined]);
  expect((await fetch(`${world.cloud.baseUrl}/getMarketplaceListingContent/${slug}/_deck/picture.jpg`)).status).toBe(
    404,
  );
});

describe('the job', () => {
  test('makes a picture once, however many runs race', async () => {
    const deck = await world.aDeck(owner, [page(), pictureFile('thumbnail.png')]);
    await atOnce(4, makePictures);
    expect(await pictureOf(deckPath(deck))).toMatchObject({ pixels: { width: 2, height: 1 } });
    expect(await taskOf(deck)).toBeUndefined();
  });

  test('goes on 10 minutes after a run that was cut off, later after each further one, and gives up after the last', async () => {
    const [cut, lost] = [await world.aDeck(owner, [page(), given]), await world.aDeck(owner, [page(), given])];
    const cutOff = async (of: Deck) =>
      expect(await beginPictureTask(`${of.presentationId}-1`, new Date())).toBeDefined();
    await Promise.all([cut, lost].map(cutOff));
    await makePictures();
    expect(await pictureOf(deckPath(cut))).toBeNull();
    await world.database.doc(taskPath(lost)).update({ attempts: MAX_PICTURE_ATTEMPTS });
    passSeconds(601);
    await makePictures();
    expect(await pictureOf(deckPath(cut))).toMatchObject({ source: sha256(given.bytes) });
    expect([await pictureOf(`${deckPath(lost)}/versions/1`), await taskOf(lost)]).toEqual([null, undefined]);
  });

  test('decodes an unchanged picture once, and a restored version has its picture at once', async () => {
    const { presentationId } = await world.aPushedDeck(owner, [page(), given]);
    await makePictures();
    const first = await pictureOf(`presentations/${presentationId}`);
    await push(presentationId, [page('next'), given]);
    expect(await pictureOf(`presentations/${presentationId}`)).toBeNull();
    // One look at the entry of the version.
    expect((await world.costOf(makePictures)).storageCalls).toBe(1);
    expect(await pictureOf(`presentations/${presentationId}`)).toEqual(first);
    await push(presentationId, [page('without')]);
    await makePictures();
    expect(await pictureOf(`presentations/${presentationId}`)).toBeNull();
    await succeed(world.call('restorePresentationVersion', { presentationId, version: 1 }, { key: owner.key }));
    expect(await pictureOf(`presentations/${presentationId}`)).toEqual(first);
  });

  test('gives the picture of an older version to the links and the listing that show it, and not to the deck', async () => {
    const deck = await world.aPushedDeck(owner, [page(), given]);
    const { presentationId, tokenId } = deck;
    const { slug } = await world.aListing(owner, {}, deck);
    const versionMode = { type: 'pinned', version: 1 };
    await succeed(world.call('setTokenVersionMode', { presentationId, tokenId, versionMode }, { key: owner.key }));
    await push(presentationId, [page('two')]);
    // A run was cut off, so the older version gets its picture last.
    await beginPictureTask(`${presentationId}-1`, new Date());
    await makePictures();
    passSeconds(601);
    await makePictures();
    expect(await pictureOf(deckPath(deck))).toBeNull();
    expect((await succeed(detail(slug))).picture).not.toBeNull();
    expect(await textOf(deck.shareUrl)).toContain('og:image');
    // The listing gets the picture of another version with the version.
    expect((await succeed(update(owner, { slug, version: 2 }))).picture).toBeNull();
    expect((await succeed(update(owner, { slug, version: 1 }))).picture).not.toBeNull();
  });

  test('forgets a version whose deck was deleted', async () => {
    const deck = await world.aDeck(owner, [page(), given]);
    await succeed(world.call('deletePresentation', { presentationId: deck.presentationId }, { key: owner.key }));
    await makePictures();
    expect(await taskOf(deck)).toBeUndefined();
  });
});
