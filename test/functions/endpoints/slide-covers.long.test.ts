import { drawing, showSlides, slidesOf } from '../../support/pictures';
import { owner, startMarketplace } from '../../support/marketplace';
import { sha256, world } from '../../support/world';
import { slides, textOf, pagePath, listingPicture } from './covers';

/** The page of a listing with more slides than it shows. */

startMarketplace();

test('the page of a listing shows its first 12 slides, with their titles as texts, when they are near', async () => {
  const deck = await world.aDeck(owner);
  const { slug } = await world.aListing(owner, {}, deck);
  expect(await textOf(pagePath(slug))).not.toContain('class="slides"');
  await showSlides(owner, deck.presentationId, 1, [...slides(13), { key: 'last', bytes: drawing(() => 9, 480, 360) }]);
  const html = await textOf(pagePath(slug));
  const shown = [...html.matchAll(/<img class="picture" src="([^"]*_deck\/slides[^"]*)"([^>]*)>/g)];
  expect(shown).toHaveLength(12);
  const [, url, rest] = shown[2]!;
  expect(rest).toContain('alt="Part 3 &amp; “more”"');
  expect(rest).toContain('width="640" height="360" loading="lazy"');
  const answers = [await fetch(url!), await listingPicture(slug, 3)];
  expect(answers[1]!.url).toBe(url!.split('?')[0]);
  const hash = (await slidesOf(owner, deck.presentationId, 1))[2]!.sha256;
  for (const answer of answers) {
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=300, s-maxage=3600',
      etag: `"${hash}"`,
      'x-content-type-options': 'nosniff',
    });
    expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(hash);
  }
  const none = [
    await listingPicture(slug, 13),
    await listingPicture(slug, 0),
    await listingPicture('no-such-listing', 1),
  ];
  expect(none.map(({ status }) => status)).toEqual([404, 400, 404]);
});
