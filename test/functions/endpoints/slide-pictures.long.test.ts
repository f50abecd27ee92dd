import { atOnce } from '../../support/answers';
import { gateway } from '../../support/gateways';
import { meanwhile } from '../../support/held-calls';
import { makePictures, sendSlides, showSlides, slide, slidesOf } from '../../support/pictures';
import { page, succeed, world } from '../../support/world';
import { owner, push, aDeck, slides, objects, startSlideDecks } from './slide-decks';

/** Pictures of slides that are sent by calls that race, and those of many versions. */

startSlideDecks();

describe('pictures replace those of their version as a whole', () => {
  test('of calls that race, one wins with all of its pictures', async () => {
    const id = await aDeck();
    let call = 0;
    const answers = await atOnce(3, () => sendSlides(owner, id, 1, slides(...Array<number>(++call).fill(call * 100))));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(await objects(id, 'sent-slides')).toHaveLength(1);
    await makePictures();
    const rows = await slidesOf(owner, id, 1);
    expect([1, 2, 3]).toContain(rows.length);
    expect(new Set(rows.map((row) => row.sha256)).size).toBe(1);
  });

  test('those that were sent while the job ran are made next', async () => {
    const id = await aDeck();
    await sendSlides(owner, id, 1, slides(10, 20));
    const held = gateway.hold('answer', ({ method, address }) => method === 'GET' && address.includes('/sent-slides/'));
    await meanwhile(held, makePictures(), () => sendSlides(owner, id, 1, slides(30)));
    expect(await slidesOf(owner, id, 1)).toEqual([]);
    await makePictures();
    expect(await slidesOf(owner, id, 1)).toHaveLength(1);
  });
});

describe('versions', () => {
  test('keep their pictures while they are one of the newest 10, or a link or the listing shows them', async () => {
    const by = await world.aPublisher();
    const deck = await world.aDeck(by);
    const { presentationId: id, tokenId } = deck;
    const pin = (version: number) => {
      const input = { presentationId: id, tokenId, versionMode: { type: 'pinned', version } };
      return succeed(world.call('setTokenVersionMode', input, { key: by.key }));
    };
    const show = (version: number) => showSlides(by, id, version, [{ key: 'a', bytes: slide(version * 20) }]);
    const withPictures = async (count: number) => {
      const found = await Promise.all(Array.from({ length: count }, (_, i) => slidesOf(by, id, i + 1)));
      return found.flatMap((rows, i) => (rows.length > 0 ? [i + 1] : []));
    };
    await show(1);
    const { slug } = await world.aListing(by, { version: 1 }, deck);
    await push(id, [page('2')], by);
    await show(2);
    await pin(2);
    await push(id, [page('3')], by);
    await show(3);
    // Versions with the files of the version before have its pictures, without a run of the job.
    for (let version = 4; version <= 13; version++) await push(id, [page('3')], by);
    await push(id, [page('14')], by);
    await show(14);
    expect(await withPictures(14)).toEqual([1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    await pin(14);
    await succeed(world.call('updateMarketplaceListing', { slug, version: 14 }, { key: by.key }));
    await push(id, [page('15')], by);
    await makePictures();
    expect(await withPictures(15)).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14]);
    const shown = (await slidesOf(by, id, 13)).concat(await slidesOf(by, id, 14)).map(({ sha256 }) => sha256);
    expect((await objects(id, 'slides')).sort()).toEqual(shown.sort());
  });
});
