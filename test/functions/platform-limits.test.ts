import { blob, page, World, type Account } from '../support/world';

const MB = 1024 * 1024;
let world: World;
let owner: Account;

beforeAll(async () => {
  world = await World.start({ platformLimits: true });
  owner = await world.anOwner();
});
afterAll(() => world.stop());

describe("under the cloud's own limits", () => {
  test('a file that is too large for a request is refused, and the error names the calls that accept it', async () => {
    const { sessionId } = await world.aSession(owner);
    expect((await world.upload(owner, { sessionId }, blob(31 * MB))).status).toBe(200);
    const { status, error } = await world.upload(owner, { sessionId }, blob(33 * MB));
    expect([status, error.code]).toEqual([413, 'payload-too-large']);
    expect(error.nextAction).toContain('createAssetUploads');
    expect(error.details).toMatchObject({ limit: 32 * MB });
  });

  test('a file that is too large for an answer is served by a signed URL of the bucket, whole or in ranges', async () => {
    const film = { ...blob(11 * MB, 'film.mp4'), contentType: 'video/mp4' };
    const deck = await world.aDeck(owner, [page(), film]);
    const response = await fetch(world.viewUrl(deck, 'film.mp4'), { redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    const signed = response.headers.get('location')!;
    expect(signed).not.toContain(deck.token);
    const bytes = await fetch(signed);
    expect([bytes.status, bytes.headers.get('content-type')]).toEqual([200, 'video/mp4']);
    expect(Buffer.from(await bytes.arrayBuffer()).equals(film.bytes)).toBe(true);
    const altered = signed.replace(/response-content-type=[^&]*/, 'response-content-type=text%2Fhtml');
    expect((await fetch(altered)).status).toBe(403);

    const publisher = await world.aPublisher();
    const { slug } = await world.aListing(publisher, {}, await world.aDeck(publisher, [page(), film]));
    const content = `${world.cloud.baseUrl}/getMarketplaceListingContent/${slug}/film.mp4`;
    const publicly = await fetch(content, { redirect: 'manual' });
    // Shared caches must drop the redirect before its URL expires.
    expect([publicly.status, publicly.headers.get('cache-control')]).toEqual([302, 'public, max-age=240']);
    expect((await fetch(content)).status).toBe(200);

    const part = await fetch(world.viewUrl(deck, 'film.mp4'), { headers: { range: 'bytes=5-' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 5-${10 * MB + 4}/${11 * MB}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(film.bytes.subarray(5, 10 * MB + 5))).toBe(true);
  });

  test('a page that is too large for an answer with a length is streamed, in its sandbox', async () => {
    const large = { ...page(), bytes: Buffer.alloc(11 * MB, ' ') };
    const deck = await world.aDeck(await world.anOwner('starter'), [large]);
    const response = await fetch(world.viewUrl(deck), { redirect: 'manual' });
    expect([response.status, response.headers.get('content-length')]).toEqual([200, null]);
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox allow-scripts/);
    expect(Buffer.from(await response.arrayBuffer()).equals(large.bytes)).toBe(true);
  });
});
