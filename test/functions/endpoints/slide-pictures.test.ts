import { planCaps } from '../../../functions/src/policy/plans';
import { duePictureTasks } from '../../../functions/src/records/picture-tasks';
import { gateway } from '../../support/gateways';
import { meanwhile } from '../../support/held-calls';
import { makePictures, sendSlides, showSlides, slide, slideForm, slidesOf } from '../../support/pictures';
import { page, sha256, succeed, world } from '../../support/world';
import { owner, push, aDeck, slides, objects, startSlideDecks } from './slide-decks';

/** Clients send pictures of slides. A job decodes them and encodes them again before anyone sees them. */

startSlideDecks();

const storedBytes = async () =>
  (await world.database.doc(`organizationUsages/${owner.organizationId}`).get()).get('storedBytes') as number;
const picture = (presentationId: string, query: Record<string, string>) =>
  world.call('getSlidePicture', undefined, { key: owner.key, path: `/${presentationId}/1`, query });

test('the job makes the pictures in the order of the slides, for the owner and the devs alone', async () => {
  const { presentationId } = await world.aDeck(owner);
  const dev = await world.anOwner();
  await world.addMember({ presentationId }, dev);
  const key = 'Ziele & “Zahlen” 2/3 – 100 % “ü”';
  const sent = [
    { key: 'z', bytes: slide(10), title: 'Start' },
    { key, bytes: slide(200), title: 'Ziele' },
    { key: 'a', bytes: slide(300) },
  ];
  expect((await sendSlides(dev, presentationId, 1, sent)).data).toEqual({ presentationId, version: 1, slides: 3 });
  expect(await slidesOf(owner, presentationId, 1)).toEqual([]);
  expect((await picture(presentationId, { key })).status).toBe(404);

  await makePictures();
  const rows = await slidesOf(dev, presentationId, 1);
  expect(rows.map(({ key, title, index, width, height }) => [key, title, index, width, height])).toEqual([
    ['z', 'Start', 0, 640, 360],
    [key, 'Ziele', 1, 640, 360],
    ['a', null, 2, 640, 360],
  ]);
  const hash = rows[1]!.sha256;
  const query = new URLSearchParams({ key, sha256: hash }).toString();
  const url = `${world.cloud.baseUrl}/getSlidePicture/${presentationId}/1?${query}`;
  const headers = { authorization: `Bearer ${dev.key}` };
  const answer = await fetch(url, { headers });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const caching = { 'cache-control': 'private, max-age=31536000, immutable', etag: `"${hash}"` };
  expect(Object.fromEntries(answer.headers)).toMatchObject({ 'content-type': 'image/webp', ...caching });
  expect([sha256(bytes), bytes.length]).toEqual([hash, rows[1]!.size]);
  expect((await fetch(url, { headers: { ...headers, 'if-none-match': `"${hash}"` } })).status).toBe(304);
  const without = await picture(presentationId, { key });
  expect([without.status, without.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
  const refused = [
    await picture(presentationId, { key: 'none' }),
    await picture(presentationId, { key, sha256: rows[0]!.sha256 }),
    await world.call('listSlidePictures', undefined, { key: owner.key, path: `/${presentationId}/2` }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([404, 404, 404]);
});

test('sent pictures are made after all covers, one task of each organization in turn', async () => {
  await makePictures();
  const other = await world.anOwner();
  const decks = [await aDeck(), await aDeck(), (await world.aDeck(other)).presentationId];
  for (const [i, id] of decks.entries()) await sendSlides(i < 2 ? owner : other, id, 1, slides(10));
  const cover = await aDeck();
  const due: string[] = [];
  for await (const { id } of duePictureTasks(new Date())) due.push(id);
  const [first, second, ofOther] = decks;
  expect(due).toEqual([cover, first, ofOther, second].map((id) => `${id}-1`));
});

test('pictures replace those of their version once they are made, and the objects of the former ones are deleted', async () => {
  const id = await aDeck();
  await showSlides(owner, id, 1, slides(10, 60));
  const [first] = await slidesOf(owner, id, 1);
  expect((await sendSlides(owner, id, 1, slides(10))).status).toBe(202);
  expect(await slidesOf(owner, id, 1)).toHaveLength(2);
  await makePictures();
  expect(await slidesOf(owner, id, 1)).toEqual([first]);
  expect([await objects(id, 'slides'), await objects(id, 'sent-slides')]).toEqual([[first!.sha256], []]);
});

describe('a form that is refused changes nothing', () => {
  let id: string;
  let before: unknown[];
  /** The pictures that the deck shows, and what waits for the job. */
  const stateOf = async () => [
    await slidesOf(owner, id, 1),
    await objects(id, 'sent-slides'),
    (await world.database.doc(`pictureTasks/${id}-1`).get()).exists,
  ];
  beforeAll(async () => {
    id = await aDeck();
    await showSlides(owner, id, 1, slides(10));
    before = await stateOf();
  });

  const bytes = slide(1);
  const one = (change: object) => slideForm(1, [{ key: 'a', bytes, ...change }]);
  const ofKeys = (...keys: string[]) => {
    const sent = keys.map((key) => ({ key, bytes }));
    return slideForm(1, sent);
  };
  test.each([
    ['201 pictures', 400, ofKeys(...Array.from({ length: 201 }, (_, i) => `s${i}`))],
    ['a picture of 101 KB', 413, one({ bytes: Buffer.alloc(101 * 1024) })],
    ['two pictures of one key', 400, ofKeys('a', 'a')],
    ['two keys that are one in their stored form', 400, ofKeys('é', 'e\u0301')],
    ['a key with a control character', 400, one({ key: 'a\u0007' })],
    ['a key of 101 characters', 400, one({ key: 'a'.repeat(101) })],
    ['a title with a control character', 400, one({ title: 'a\u0007' })],
    ['a GIF', 400, one({ type: 'image/gif' })],
    ['an SVG', 400, one({ type: 'image/svg+xml' })],
    ['no picture', 400, ofKeys()],
    ['no version', 400, slideForm(undefined, slides(1))],
    ['a version that does not exist yet', 409, slideForm(2, slides(1))],
  ])('%s: %i', async (_what, status, form) => {
    const answer = await world.call('uploadSlidePictures', form, { key: owner.key, path: `/${id}` });
    expect([answer.status, await stateOf()]).toEqual([status, before]);
  });

  test('a form that is cut off: 400', async () => {
    const whole = Buffer.from(await new Response(slideForm(1, slides(10, 20))).arrayBuffer());
    const boundary = whole.subarray(2, whole.indexOf('\r\n')).toString();
    const { status } = await fetch(`${world.cloud.baseUrl}/uploadSlidePictures/${id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.key}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: whole.subarray(0, whole.length - 200),
    });
    expect([status, await stateOf()]).toEqual([400, before]);
  });
});

test('pictures of a version that a commit replaced meanwhile are refused, and nothing is left of them', async () => {
  const id = await aDeck();
  const held = gateway.hold('request', ({ method, address }) => method === 'POST' && address.includes('/sent-slides/'));
  const answer = await meanwhile(held, sendSlides(owner, id, 1, slides(10)), () => push(id));
  expect([answer.status, answer.error.message]).toEqual([409, 'Version 2 is the newest one.']);
  await makePictures();
  expect([await slidesOf(owner, id, 1), await objects(id, 'sent-slides')]).toEqual([[], []]);
});

describe('versions', () => {
  test('share the pictures of slides that look the same, and a changed slide has its own', async () => {
    const id = await aDeck();
    await showSlides(owner, id, 1, slides(10, 100, 200, 300));
    await push(id);
    // A bar that moved by a fifth of a pixel looks the same. One that moved by a pixel does not.
    await showSlides(owner, id, 2, slides(10, 100.2, 201, 300));
    const [one, two] = [await slidesOf(owner, id, 1), await slidesOf(owner, id, 2)];
    expect(two.map(({ sha256 }, i) => sha256 === one[i]!.sha256)).toEqual([true, true, false, true]);
    expect(await objects(id, 'slides')).toHaveLength(5);
  });

  test('that are restored have the pictures of their source', async () => {
    const id = await aDeck();
    await showSlides(owner, id, 1, slides(10, 100));
    await push(id);
    await succeed(world.call('restorePresentationVersion', { presentationId: id, version: 1 }, owner));
    expect(await slidesOf(owner, id, 3)).toEqual(await slidesOf(owner, id, 1));
    expect(await slidesOf(owner, id, 2)).toEqual([]);
  });

  test('that have the files of the version before have its pictures, and nothing is made again', async () => {
    const id = await aDeck();
    const files = [page('the same')];
    await push(id, files);
    await showSlides(owner, id, 2, slides(10, 100));
    const pictureOf = async (version: number) =>
      (await world.database.doc(`presentations/${id}/versions/${version}`).get()).get('picture') as object;
    expect((await world.commit(owner, { presentationId: id, title: 'A new title' }, files)).status).toBe(200);
    expect(await slidesOf(owner, id, 3)).toEqual(await slidesOf(owner, id, 2));
    expect(await pictureOf(3)).toEqual(await pictureOf(2));
    expect((await world.database.doc(`pictureTasks/${id}-3`).get()).exists).toBe(false);
    const entry = [...files, page('another entry', 'other.html')];
    await push(id, entry);
    await showSlides(owner, id, 4, slides(10));
    const other = { presentationId: id, entryPath: 'other.html' };
    expect((await world.commit(owner, other, entry)).status).toBe(200);
    expect(await slidesOf(owner, id, 5)).toEqual([]);
  });
});

describe('the bytes of pictures', () => {
  test('are those of the organization until the deck is deleted', async () => {
    const before = await storedBytes();
    const { presentationId } = await world.aPushedDeck(owner);
    const withDeck = await storedBytes();
    await showSlides(owner, presentationId, 1, slides(10, 100));
    const [one, two] = await slidesOf(owner, presentationId, 1);
    expect(await storedBytes()).toBe(withDeck + one!.size + two!.size);
    // A commit counts new files alone.
    const next = [page('a next page')];
    await push(presentationId, next);
    expect(await storedBytes()).toBe(withDeck + one!.size + two!.size + next[0]!.bytes.length);
    await succeed(world.call('deletePresentation', { presentationId }, { key: owner.key }));
    expect([await storedBytes(), await objects(presentationId, 'slides')]).toEqual([before, []]);
  });

  test('above the cap are refused, and the deck stays', async () => {
    const by = await world.anOwner();
    const { presentationId } = await world.aDeck(by);
    const usage = world.database.doc(`organizationUsages/${by.organizationId}`);
    await usage.update({ storedBytes: planCaps.free.storedBytes });
    const { status, error } = await sendSlides(by, presentationId, 1, slides(10));
    expect([status, error.code, error.details]).toMatchObject([409, 'conflict', { plan: 'free' }]);
    const options = { key: by.key, path: `/${presentationId}/1` };
    expect((await world.call('getPresentationVersion', undefined, options)).status).toBe(200);
  });
});

test('an owner who wants no pictures loses all of them, and the deck takes none', async () => {
  const { presentationId, shareUrl } = await world.aDeck(owner);
  const set = (slidePictures: boolean) =>
    world.call('setPresentationPictures', { presentationId, slidePictures }, owner);
  const options = { key: owner.key, path: `/${presentationId}` };
  const info = () => succeed(world.call('getSharedPresentationInfo', undefined, options));
  const before = await storedBytes();
  await showSlides(owner, presentationId, 1, slides(10));
  expect(await info()).toMatchObject({ slidePictures: true, picture: { contentType: 'image/jpeg' } });
  await sendSlides(owner, presentationId, 1, slides(20));
  expect((await set(false)).data).toEqual({ presentationId, slidePictures: false });
  expect(await info()).toMatchObject({ slidePictures: false, picture: null });
  expect([await slidesOf(owner, presentationId, 1), await storedBytes()]).toEqual([[], before]);
  const left = ['slides', 'sent-slides', 'covers'].map((place) => objects(presentationId, place));
  expect(await Promise.all(left)).toEqual([[], [], []]);
  expect((await sendSlides(owner, presentationId, 1, slides(10))).status).toBe(409);
  // What waited for the job is not made.
  await makePictures();
  expect([await slidesOf(owner, presentationId, 1), (await fetch(shareUrl)).status]).toEqual([[], 200]);
  await set(true);
  await showSlides(owner, presentationId, 1, slides(10));
  expect(await slidesOf(owner, presentationId, 1)).toHaveLength(1);
});
