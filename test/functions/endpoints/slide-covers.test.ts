import { makePictures, pictureFile, png, showSlides, slide, slidesOf } from '../../support/pictures';
import { requestLocally } from '../../support/deck-origin';
import { detail, owner, push, setTakedown, startMarketplace, update } from '../../support/marketplace';
import { page, sha256, succeed, world, type Deck } from '../../support/world';
import { slides, textOf, pagePath, listingPicture } from './covers';

/** Where the pictures of slides are shown to people without an account. Beside a gated link there is none. */

startMarketplace();

const imageOf = async (url: string) => /og:image" content="([^"]*)"/.exec(await textOf(url))?.[1];
const gate = ({ presentationId, tokenId }: Deck, passcode: string | null) =>
  succeed(world.call('updateShareToken', { presentationId, tokenId, passcode }, { key: owner.key }));

test('the first slide is the picture of a deck that has none, but beside a gated link', async () => {
  const deck = await world.aDeck(owner);
  const { slug } = await world.aListing(owner, {}, deck);
  await makePictures();
  expect(await imageOf(deck.shareUrl)).toBeUndefined();
  await showSlides(owner, deck.presentationId, 1, slides(2));
  const address = (await imageOf(deck.shareUrl))!;
  for (const page of [deck.shareUrl, pagePath(slug)])
    expect((await textOf(page)).match(/(?<=(og|twitter):image:alt" content=")[^"]*/g)).toEqual([
      'Part 1 &amp; “more”',
      'Part 1 &amp; “more”',
    ]);
  const picture = await requestLocally(address);
  expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/jpeg']);
  const embed = `${world.cloud.marketplaceUrl}/oembed?${new URLSearchParams({ url: pagePath(slug) }).toString()}`;
  expect(JSON.parse(await textOf(embed))).toMatchObject({ thumbnail_width: 640, thumbnail_height: 360 });
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
    const { sent } = await succeed(
      world.call<{ sent: { tokenId: string }[] }>('sharePresentationViaEmail', input, { key: owner.key }),
    );
    const { html } = (await world.mails(email))[0]!;
    return {
      tokenId: sent[0]!.tokenId,
      shown: /<img[^>]* src="([^"]*)" alt="([^"]*)" width="414" height="233"/.exec(html),
    };
  };
  const { tokenId, shown } = await mail('grace@example.com');
  const [, address, text] = shown!;
  expect(text).toBe('Part 1 &amp; “more”');
  const picture = await requestLocally(address!);
  expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/jpeg']);
  await succeed(world.call('unsharePresentation', { presentationId, tokenId }, { key: owner.key }));
  expect((await requestLocally(address!)).status).toBe(403);
  const gated = [
    await mail('alan@example.com', { requireEmail: true }),
    await mail('ada@example.com', { passcode: 'orchid-47' }),
  ];
  expect(gated.map((each) => each.shown)).toEqual([null, null]);
  await gate(deck, 'orchid-47');
  const preview = await succeed(
    world.call<{ html: string }>('previewShareEmail', { presentationId }, { key: owner.key }),
  );
  expect(preview.html).not.toContain('<img');
});

test('a picture that the deck gives stays its picture', async () => {
  const given = pictureFile('thumbnail.png', 'image/png', png(20, 10));
  const deck = await world.aDeck(owner, [page(), given]);
  await showSlides(owner, deck.presentationId, 1, slides(1));
  const { picture } = (await world.database.doc(`presentations/${deck.presentationId}`).get()).data() as {
    picture: object;
  };
  expect(picture).toMatchObject({ source: sha256(given.bytes), place: 'blobs' });
});

test('the pictures of a listing are those of its version, while it is shown', async () => {
  const deck = await world.aDeck(owner);
  const { presentationId } = deck;
  const { slug } = await world.aListing(owner, {}, deck);
  await showSlides(owner, presentationId, 1, slides(1));
  await push(presentationId, [page('next')]);
  const next = [{ key: 's0', bytes: slide(400) }];
  await showSlides(owner, presentationId, 2, next);
  const [one, two] = [await slidesOf(owner, presentationId, 1), await slidesOf(owner, presentationId, 2)];
  const etag = async () => (await listingPicture(slug, 1)).headers.get('etag');
  expect(await etag()).toBe(`"${one[0]!.sha256}"`);
  await succeed(update(owner, { slug, version: 2 }));
  expect(await etag()).toBe(`"${two[0]!.sha256}"`);
  await setTakedown(slug, { at: new Date(), reason: 'Spam.' });
  expect((await listingPicture(slug, 1)).status).toBe(410);
  await setTakedown(slug, null);
  await succeed(world.call('setPresentationPictures', { presentationId, slidePictures: false }, { key: owner.key }));
  expect((await listingPicture(slug, 1)).status).toBe(404);
  expect(await textOf(pagePath(slug))).not.toMatch(/_deck\//);
});
