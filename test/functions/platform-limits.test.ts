import { setImmediate } from 'node:timers/promises';
import { config } from '../../functions/src/config';
import { blob, page, sha256, startWorld, world } from '../support/world';
import type { Account, Answered, Deck, DeckFile } from '../support/world';

const MB = 1024 * 1024;
/** A part of each limit of the platform, in the same order. */
const [REQUEST, RESPONSE, PAGE] = [4 * MB, 2 * MB, 3 * MB];
const asText = (...limits: number[]) => {
  const [MAX_REQUEST_BYTES, MAX_RESPONSE_BYTES, MAX_PAGE_BYTES] = limits.map(String);
  return { MAX_REQUEST_BYTES, MAX_RESPONSE_BYTES, MAX_PAGE_BYTES };
};
let owner: Account;
async function read(url: string, headers = {}) {
  const answer = await fetch(url, { redirect: 'manual', headers });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

startWorld(
  async () => {
    owner = await world.anOwner();
  },
  { platformLimits: true },
);

test('the functions have the limits of the platform unless their environment has others', async () => {
  const limits = asText(32 * MB, 10 * MB, 30 * MB);
  expect(process.env).toMatchObject(limits);
  for (const name of Object.keys(limits)) delete process.env[name];
  // The functions read their settings once in a turn of the event loop.
  await setImmediate();
  expect(asText(config.maxRequestBytes(), config.maxResponseBytes(), config.maxPageBytes())).toEqual(limits);
});

describe('under the limits of a platform', () => {
  beforeAll(() => Object.assign(process.env, asText(REQUEST, RESPONSE, PAGE)));

  const isShown = async (deck: Deck, { bytes }: DeckFile, length: string | null) => {
    const { status, headers, ...answer } = await read(world.viewUrl(deck));
    expect([status, headers.get('content-length'), answer.bytes.equals(bytes)]).toEqual([200, length, true]);
    expect(headers.get('content-security-policy')).toMatch(/^sandbox allow-scripts/);
  };

  test('a file that is too large for a request is refused, and the error names the calls that accept it', async () => {
    const { sessionId } = await world.aSession(owner);
    expect((await world.upload(owner, { sessionId }, blob(REQUEST - MB / 2))).status).toBe(200);
    const { status, error } = await world.upload(owner, { sessionId }, blob(REQUEST + MB / 2));
    expect([status, error.code]).toEqual([413, 'payload-too-large']);
    expect(error.nextAction).toContain('createAssetUploads');
    expect(error.details).toMatchObject({ limit: REQUEST });
  });

  test('a file that is too large for an answer is served by a signed URL of the bucket, whole or in ranges', async () => {
    const film = { ...blob(RESPONSE + MB / 2, 'film.mp4'), contentType: 'video/mp4' };
    const model = { ...film, path: 'model.glb', contentType: 'model/gltf-binary' };
    const deck = await world.aDeck(owner, [page(), film, model]);
    const response = await fetch(world.viewUrl(deck, 'film.mp4'), { redirect: 'manual' });
    expect(response.status).toBe(302);
    // Browsers do not show this file as a page, either.
    expect(await world.visit(world.viewUrl(deck, 'model.glb'))).toBe(302);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    const signed = response.headers.get('location')!;
    expect(signed).not.toContain(deck.token);
    const { status, headers, bytes } = await read(signed);
    expect([status, headers.get('content-type'), bytes.equals(film.bytes)]).toEqual([200, 'video/mp4', true]);
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
    const range = `bytes 5-${RESPONSE + 4}/${RESPONSE + MB / 2}`;
    expect([part.status, part.headers.get('content-range')]).toEqual([206, range]);
    expect(Buffer.from(await part.arrayBuffer()).equals(film.bytes.subarray(5, RESPONSE + 5))).toBe(true);
  });

  test('a page is sent whole, with its length and its sandbox, however large a new version may have it', async () => {
    const large = { ...page(), bytes: Buffer.alloc(PAGE, ' ') };
    const by = await world.anOwner('enterprise');
    const deck = await world.aDeck(by, [large]);
    const manifest = { presentationId: deck.presentationId, message: 'again' };
    expect((await world.commit(by, manifest, [large])).status).toBe(200);
    await isShown(deck, large, String(PAGE));
  });

  describe('a page that is too large for an answer', () => {
    const large = { ...page(), bytes: Buffer.alloc(PAGE + 1, ' ') };
    const refusal = { limit: PAGE, actual: PAGE + 1, plan: 'enterprise' };
    const refused = async (answer: Promise<Answered<unknown>>, details: object = refusal) => {
      const { status, error } = await answer;
      expect([status, error.code, error.details]).toEqual([413, 'payload-too-large', details]);
      expect(error.message).toBe('An HTML, SVG or XML file is larger than the platform can deliver.');
    };

    test('is refused by every call that accepts files', async () => {
      const by = await world.anOwner('enterprise');
      const { sessionId } = await world.aSession(by);
      await refused(world.upload(by, { sessionId }, large));
      const asset = { sha256: sha256(large.bytes), size: large.bytes.length };
      const grants = (type: string) =>
        world.call('createAssetUploads', { sessionId, assets: [{ ...asset, contentType: type }] }, { key: by.key });
      for (const type of ['text/html; charset=utf-8', 'image/svg+xml', 'application/xml']) await refused(grants(type));
      expect((await grants('video/mp4')).status).toBe(200);
      const form = new FormData();
      form.append('sessionId', sessionId);
      form.append(asset.sha256, new Blob([new Uint8Array(large.bytes)], { type: 'text/html' }), 'index.html');
      const { data } = await world.call('uploadPresentationAssets', form, { key: by.key });
      expect(data).toMatchObject({ results: [{ status: 'failed', code: 'payload-too-large' }] });
      const of = { ...refusal, path: 'index.html' };
      await refused(world.commit(by, { sessionId, title: 'Large' }, [large]), of);
      await refused(world.commit(by, { sessionId, title: 'Large', dryRun: true }, [large]), of);
    });

    test('is shown when an older version has it, in chunks, and no other version gets it', async () => {
      const by = await world.aPublisher('enterprise');
      const deck = await world.aDeck(by, [large]);
      const { slug } = await world.aListing(by, {}, deck);
      await isShown(deck, large, null);
      const of = { ...refusal, path: 'index.html' };
      const { presentationId } = deck;
      await refused(world.call('restorePresentationVersion', { presentationId, version: 1 }, { key: by.key }), of);
      const remixer = await world.anOwner('enterprise');
      await refused(world.call('remixMarketplaceListing', { slug }, { key: remixer.key }), of);
    });
  });
});
