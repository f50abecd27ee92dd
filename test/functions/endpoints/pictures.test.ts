import { beginPictureTask } from '../../../functions/src/records/picture-tasks';
import { MAX_PICTURE_ATTEMPTS } from '../../../functions/src/policy/picture-attempts';
import { setMadePictures } from '../../../functions/src/records/made-pictures';
import type { MadePicture } from '../../../functions/src/records/presentations';
import { sizeOfPicture } from '../../../functions/src/values/picture-size';
import { atOnce } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { requestLocally } from '../../support/deck-origin';
import { each } from '../../support/each';
import { contentUrl, detail, owner, push, setTakedown, startMarketplace, update } from '../../support/marketplace';
import { makePictures, pictureFile, png, showSlides, slide, slidesOf } from '../../support/pictures';
import { page, sha256, succeed, type Deck, world } from '../../support/world';
import { listingPicture, pagePath, slides, textOf } from './covers';

/**
 * A job makes the pictures that pages show. A given picture is never shown as it is. The first slide is the picture of
 * a deck without one, but not beside a gated link.
 */

startMarketplace();

const given = pictureFile('thumbnail.png', 'image/png', png(2400, 1350));
const fieldOf = async (path: string, field: string) => (await world.database.doc(path).get()).get(field) as unknown;
const pictureOf = (path: string) => fieldOf(path, 'picture') as Promise<MadePicture | null | undefined>;
const deckPath = ({ presentationId }: Pick<Deck, 'presentationId'>) => `presentations/${presentationId}`;
const taskPath = ({ presentationId }: Pick<Deck, 'presentationId'>, version = 1) =>
  `pictureTasks/${presentationId}-${version}`;
const taskOf = async (deck: Pick<Deck, 'presentationId'>, version = 1) =>
  (await world.database.doc(taskPath(deck, version)).get()).data();
const embedOf = (slug: string) =>
  `${world.cloud.marketplaceUrl}/oembed?${new URLSearchParams({ url: pagePath(slug) }).toString()}`;
/** The pages and answers that show the picture of a deck and its listing, as text. */
const shownBy = async ({ shareUrl }: Deck, slug: string) => {
  const list = `${world.cloud.marketplaceUrl}/marketplace?tag=${slug}`;
  return Promise.all([shareUrl, pagePath(slug), list, embedOf(slug)].map(textOf));
};
const imageOf = (html: string) => /og:image" content="([^"]*)"/.exec(html)?.[1];
const call = <T>(name: string, input: object) => succeed(world.call<T>(name, input, owner));

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
  const { headers } = await requestLocally(imageOf(sharePage!)!);
  expect(headers).toMatchObject({ 'content-length': String(made.length), etag: `"${sha256(made)}"` });
  for (const text of each(others)) expect(text.replaceAll('&amp;', '&')).toContain(picture!.url);
  for (const text of [sharePage, ...others]) expect(text).not.toMatch(/(src|content)="[^"]*thumbnail/);
  // The dashboard gets the same picture.
  type List = { versions: { picture: object }[] };
  const options = { key: owner.key, path: `/${deck.presentationId}` };
  const { versions } = await succeed(world.call<List>('listPresentationVersions', undefined, options));
  const hash = sha256(made);
  expect(versions[0]!.picture).toEqual({ sha256: hash, contentType: 'image/jpeg', size: made.length });
  const query = { version: '1', sha256: hash };
  const answer = await world.call('downloadPresentationAsset', undefined, { ...options, query });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
});

test.each([
  // Further ones: pictures/decode.test.ts.
  ['is cut off', png(640, 360).subarray(0, 60)],
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
  expect((await fetch(contentUrl(slug, '_deck/picture.jpg'))).status).toBe(404);
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

  test('takes no picture away after a run that was taken for dead', async () => {
    const deck = await world.aDeck(owner, [page(), given]);
    const dead = await beginPictureTask(`${deck.presentationId}-1`, new Date());
    passSeconds(601);
    await makePictures();
    await setMadePictures(dead!, { picture: null, slides: undefined });
    expect(await pictureOf(deckPath(deck))).toMatchObject({ source: sha256(given.bytes) });
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
    await call('restorePresentationVersion', { presentationId, version: 1 });
    expect(await pictureOf(`presentations/${presentationId}`)).toEqual(first);
  });

  test('gives the picture of an older version to the links and the listing that show it, and not to the deck', async () => {
    const deck = await world.aPushedDeck(owner, [page(), given]);
    const { presentationId, tokenId } = deck;
    const { slug } = await world.aListing(owner, {}, deck);
    await call('setTokenVersionMode', { presentationId, tokenId, versionMode: { type: 'pinned', version: 1 } });
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
    await call('deletePresentation', { presentationId: deck.presentationId });
    await makePictures();
    expect(await taskOf(deck)).toBeUndefined();
  });
});

const gate = ({ presentationId, tokenId }: Deck, passcode: string | null) =>
  call('updateShareToken', { presentationId, tokenId, passcode });

test('the first slide is the picture of a deck that has none, but beside a gated link', async () => {
  const deck = await world.aDeck(owner);
  const { slug } = await world.aListing(owner, {}, deck);
  await makePictures();
  expect(imageOf(await textOf(deck.shareUrl))).toBeUndefined();
  await showSlides(owner, deck.presentationId, 1, slides(2));
  const address = imageOf(await textOf(deck.shareUrl))!;
  const title = 'Part 1 &amp; “more”';
  for (const page of [deck.shareUrl, pagePath(slug)])
    expect((await textOf(page)).match(/(?<=(og|twitter):image:alt" content=")[^"]*/g)).toEqual([title, title]);
  const picture = await requestLocally(address);
  expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/jpeg']);
  expect(JSON.parse(await textOf(embedOf(slug)))).toMatchObject({ thumbnail_width: 640, thumbnail_height: 360 });
  expect((await succeed(detail(slug))).picture).toMatchObject({ contentType: 'image/jpeg' });

  await gate(deck, 'orchid-47');
  const gated = await textOf(deck.shareUrl);
  expect(gated).not.toMatch(/og:image|twitter:image|<img/);
  expect((await requestLocally(address)).status).toBe(403);
  // The listing of the same deck shows its slides, and so does a link without a gate.
  expect(await textOf(pagePath(slug))).toContain('_deck/slides/1.webp');
  await gate(deck, null);
  expect((await requestLocally(address)).status).toBe(200);
});

test('a mail shows the first slide with its title, at an address that ends with its link', async () => {
  const deck = await world.aDeck(owner);
  const { presentationId } = deck;
  await showSlides(owner, presentationId, 1, slides(2));
  const mail = async (email: string, rules: object = {}) => {
    const input = { presentationId, emails: [email], ...rules };
    const { sent } = await call<{ sent: { tokenId: string }[] }>('sharePresentationViaEmail', input);
    const { html } = (await world.mails(email))[0]!;
    const shown = /<img[^>]* src="([^"]*)" alt="([^"]*)" width="414" height="233"/.exec(html);
    return { tokenId: sent[0]!.tokenId, shown };
  };
  const { tokenId, shown } = await mail('grace@example.com');
  const [, address, text] = shown!;
  expect(text).toBe('Part 1 &amp; “more”');
  const picture = await requestLocally(address!);
  expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/jpeg']);
  await call('unsharePresentation', { presentationId, tokenId });
  expect((await requestLocally(address!)).status).toBe(403);
  for (const rules of [{ requireEmail: true }, { passcode: 'orchid-47' }])
    expect((await mail('ada@example.com', rules)).shown).toBeNull();
  await gate(deck, 'orchid-47');
  const preview = await call<{ html: string }>('previewShareEmail', { presentationId });
  expect(preview.html).not.toContain('<img');
});

test('a picture that the deck gives stays its picture', async () => {
  const deck = await world.aDeck(owner, [page(), given]);
  await showSlides(owner, deck.presentationId, 1, slides(1));
  expect(await pictureOf(deckPath(deck))).toMatchObject({ source: sha256(given.bytes), place: 'blobs' });
});

test('the pictures of a listing are those of its version, while it is shown', async () => {
  const deck = await world.aDeck(owner);
  const { presentationId } = deck;
  const { slug } = await world.aListing(owner, {}, deck);
  await showSlides(owner, presentationId, 1, slides(1));
  await push(presentationId, [page('next')]);
  await showSlides(owner, presentationId, 2, [{ key: 's0', bytes: slide(400) }]);
  const [one, two] = [await slidesOf(owner, presentationId, 1), await slidesOf(owner, presentationId, 2)];
  const etag = async () => (await listingPicture(slug, 1)).headers.get('etag');
  expect(await etag()).toBe(`"${one[0]!.sha256}"`);
  await succeed(update(owner, { slug, version: 2 }));
  expect(await etag()).toBe(`"${two[0]!.sha256}"`);
  await setTakedown(slug, { at: new Date(), reason: 'Spam.' });
  expect((await listingPicture(slug, 1)).status).toBe(410);
  await setTakedown(slug, null);
  await call('setPresentationPictures', { presentationId, slidePictures: false });
  expect((await listingPicture(slug, 1)).status).toBe(404);
  expect(await textOf(pagePath(slug))).not.toMatch(/_deck\//);
});
