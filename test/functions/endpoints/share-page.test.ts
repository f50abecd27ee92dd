import { parseFragment } from 'parse5';
import { serviceSecrets } from '../../../functions/src/config';
import { readGrant, writeGrant } from '../../../functions/src/values/deck-grants';
import { labelOfToken, originOf } from '../../../functions/src/values/deck-origins';
import { writePictureLink } from '../../../functions/src/values/picture-links';
import { startBucketGateway } from '../../support/bucket-gateway';
import { navigation, requestLocally } from '../../support/deck-origin';
import { startHttpFaults } from '../../support/faults';
import { page, sha256, World, type Account, type Deck, type DeckFile } from '../../support/world';

let world: World;
let owner: Account;
let deck: Deck;

beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
  deck = await world.aDeck(owner);
});
afterAll(() => world.stop());
const headingOf = (html: string) => /<h1>(.*)<\/h1>/.exec(html)?.[1];

describe('a navigation of a browser', () => {
  test.each(['GET', 'HEAD'])(
    'is redirected to the origin of its link by %s, with a ticket for this link',
    async (method) => {
      const { status, headers, text } = await requestLocally(deck.shareUrl, { headers: navigation, method });
      expect([status, text]).toEqual([303, '']);
      const { origin, pathname, search } = new URL(headers.location!);
      expect([origin, search]).toEqual([originOf(world.cloud.deckOrigin!, labelOfToken(deck.tokenId)), '']);
      const [, folder, ticket, ...rest] = pathname.split('/');
      expect([folder, rest]).toEqual(['_open', []]);
      const { presentationId, tokenId } = deck;
      const grant = readGrant(serviceSecrets.accepted(), 'ticket', ticket!, new Date());
      expect(grant).toMatchObject({ presentationId, tokenId });
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        vary: expect.stringContaining('Sec-Fetch-Mode') as string,
        'x-robots-tag': 'noindex, nofollow',
      });
      expect(JSON.stringify(headers)).not.toContain(deck.token);
    },
  );

  test.each([
    ['&print-pdf', '?print-pdf'],
    ['&a=1&b=x%20y+z&a=2', '?a=1&b=x%20y+z&a=2'],
    ['&embed=&to%6ben=other&q=ä', '?embed=&q=%C3%A4'],
    ['&&', ''],
    ['&next=//evil.example/%0d%0aSet-Cookie:a', '?next=//evil.example/%0d%0aSet-Cookie:a'],
  ])('keeps its query %s as %s', async (sent, kept) => {
    const { headers } = await requestLocally(new URL(deck.shareUrl + sent).href, { headers: navigation });
    expect(new URL(headers.location!).search).toBe(kept);
    expect(headers).not.toHaveProperty('set-cookie');
  });

  test('of a link that does not open gets the page with the reason', async () => {
    const mine = await world.aDeck(owner);
    const look = async (url: string) => {
      const { status, headers, text } = await requestLocally(url, { headers: navigation });
      expect([headers['content-type'], headers['cache-control']]).toEqual(['text/html; charset=utf-8', 'no-store']);
      return [status, headingOf(text)];
    };
    const unknown = [404, 'This link does not open a presentation'];
    expect(await look(mine.shareUrl.replace(mine.token, deck.token))).toEqual(unknown);
    await world.database.doc(`presentations/${mine.presentationId}`).update({ expiresAt: new Date(Date.now() - 1) });
    expect(await look(mine.shareUrl)).toEqual([410, 'This presentation has expired']);
    const stored = world.database.doc(`presentations/${mine.presentationId}/shareTokens/${mine.tokenId}`);
    await stored.update({ revokedAt: new Date() });
    expect(await look(mine.shareUrl)).toEqual([403, 'This link was revoked']);
  });

  test('gets the page with the frame when decks have no origins', async () => {
    process.env['DECK_ORIGIN'] = '';
    const { status, text } = await requestLocally(deck.shareUrl, { headers: navigation });
    process.env['DECK_ORIGIN'] = world.cloud.deckOrigin!;
    expect(status).toBe(200);
    expect(text).toContain('<noscript><iframe src=');
  });
});

test.each([
  ['a robot', {}],
  ['a script', { 'sec-fetch-mode': 'cors' }],
  ['an image of a page', { 'sec-fetch-mode': 'no-cors' }],
  ['a browser without Sec-Fetch headers', { accept: 'text/html,*/*', 'user-agent': 'Mozilla/5.0' }],
])('%s gets the page', async (_, headers) => {
  for (const method of ['GET', 'HEAD']) {
    const answer = await requestLocally(deck.shareUrl, { headers, method });
    expect([answer.status, answer.headers.location]).toEqual([200, undefined]);
    expect(answer.headers.vary).toContain('Sec-Fetch-Mode');
    expect(answer.text.startsWith(method === 'GET' ? '<!doctype html>' : '')).toBe(true);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' });
  }
});

/** The metadata of the page, by name, as a robot reads it. */
async function metadataOf({ shareUrl }: Deck): Promise<Record<string, string>> {
  const { status, text } = await requestLocally(shareUrl);
  expect(status).toBe(200);
  const { childNodes } = parseFragment(text);
  const elements = childNodes.filter((node) => 'attrs' in node);
  // Text of the deck makes no element.
  expect(elements.map(({ tagName }) => tagName).join(' ')).toMatch(
    /^(meta )+title (meta )+link style (noscript )?(main )?script$/,
  );
  const rows = elements
    .filter(({ tagName }) => tagName === 'meta')
    .map(({ attrs }) => Object.fromEntries(attrs.map(({ name, value }) => [name, value])))
    .map(({ name, property = name, content }) => [property, content]);
  return Object.fromEntries(rows) as Record<string, string>;
}
const picture = (path: string, contentType = 'image/png', bytes = Buffer.from(`bytes of ${path}`)): DeckFile => ({
  ...{ path, contentType, bytes },
});
const entry = (head: string, path = 'index.html'): DeckFile => ({ ...page('', path), bytes: Buffer.from(head) });
/** The bytes of the picture that the page names, as text. */
async function pictureOf(shared: Deck): Promise<string | undefined> {
  const { 'og:image': address, 'twitter:card': card } = await metadataOf(shared);
  expect(card).toBe(address === undefined ? 'summary' : 'summary_large_image');
  if (address === undefined) return undefined;
  const { status, text } = await requestLocally(address);
  expect(status).toBe(200);
  return text;
}

describe('link previews', () => {
  test.each([
    ['the description', '<meta name=description content=" Two\n words ">', 'Two words'],
    ['og:description without one', '<meta property="og:description" content="A &amp; B">', 'A & B'],
    ['the first of several', '<meta name="Description" content=One><meta name=description content=Two>', 'One'],
    ['markup as text', `<meta name=description content='"><script>alert(1)</script>'>`, '"><script>alert(1)</script>'],
    ['text from right to left', '<meta name=description content="שלום \u202eevil">', 'שלום \u202eevil'],
    ['300 characters', `<meta name=description content="${'😀'.repeat(301)}">`, `${'😀'.repeat(299)}…`],
    ['nothing of another encoding', Buffer.from('<meta name=description content="\xe4">', 'latin1'), undefined],
    ['nothing of a comment', '<!-- <meta name=description content=A> -->', undefined],
    ['nothing of a script', `<script>'<meta name=description content=A>'</script>`, undefined],
    ['nothing of a title', `<title><meta name=description content=A></title>`, undefined],
    ['nothing of the body', '<body><meta name=description content=A>', undefined],
    ['nothing after 64 KB', `<style>${' '.repeat(64 * 1024)}</style><meta name=description content=A>`, undefined],
    ['nothing of an empty entry', '', undefined],
  ])('have %s of the entry', async (_, head, description) => {
    const shared = await world.aDeck(owner, [{ ...page(), bytes: Buffer.from(head) }]);
    const found = await metadataOf(shared);
    expect([found['description'], found['og:description']]).toEqual([description, description]);
  });

  test.each([
    '</title><script>alert(1)</script>',
    `"><img src=x onerror='alert(1)'>`,
    'عرض الربع الثالث \u202eabc',
    'x'.repeat(255),
    '{{ $& $1 ${title} }}',
  ])('have the title %s of the deck', async (title) => {
    expect((await metadataOf(await world.aDeck(owner, [page()], title)))['og:title']).toBe(title);
  });

  const thumbnail = picture('thumbnail.jpg', 'image/jpeg');
  test.each([
    ['the og:image', '<meta property="og:image" content="a/b%20c.png">', 'talk/a/b c.png'],
    ['the og:image from the root', '<meta name="og:image" content="/a.gif?v=2#x">', 'a.gif'],
    ['the og:image in a folder above', '<meta property="og:image" content="../a.gif">', 'a.gif'],
    ['the og:image behind more .. than folders', '<meta property="og:image" content="../../../a.gif">', 'a.gif'],
    ['the thumbnail without og:image', '', 'thumbnail.jpg'],
    ['the thumbnail when og:image is missing', '<meta property="og:image" content="none.png">', 'thumbnail.jpg'],
    ['the thumbnail when og:image is HTML', '<meta property="og:image" content="/page.html">', 'thumbnail.jpg'],
    ['the thumbnail when og:image is SVG', '<meta property="og:image" content="/a.svg">', 'thumbnail.jpg'],
    ['the thumbnail when og:image is empty', '<meta property="og:image" content="/empty.png">', 'thumbnail.jpg'],
    ['the thumbnail when og:image is too large', '<meta property="og:image" content="/big.png">', 'thumbnail.jpg'],
    [
      'the thumbnail when og:image is on another site',
      `<meta property=og:image content=//x.org/a.gif>`,
      'thumbnail.jpg',
    ],
    ['the thumbnail when og:image is data', '<meta property=og:image content=data:image/png,a>', 'thumbnail.jpg'],
    ['the thumbnail when og:image is malformed', '<meta property=og:image content="/%ff%">', 'thumbnail.jpg'],
    ['the thumbnail when og:image encodes ..', '<meta property=og:image content="..%2f..%2fa.gif">', 'thumbnail.jpg'],
    [
      'the thumbnail when og:image is endless',
      `<meta property=og:image content=a.gif?${'x'.repeat(3000)}>`,
      'thumbnail.jpg',
    ],
  ])('have %s', async (_, head, path) => {
    const files = [
      ...[
        entry(head, 'talk/index.html'),
        page('', 'page.html'),
        picture('talk/a/b c.png'),
        picture('a.gif', 'image/gif'),
      ],
      ...[picture('a.svg', 'image/svg+xml'), picture('empty.png', 'image/png', Buffer.alloc(0)), thumbnail],
      picture('thumbnail.webp', 'image/webp'),
      ...(head.includes('big.png') ? [picture('big.png', 'image/png', Buffer.alloc(5 * 1024 * 1024 + 1))] : []),
    ];
    expect(await pictureOf(await world.aDeck(owner, files))).toBe(`bytes of ${path}`);
  });

  test('have no picture when the deck has none', async () => {
    expect(await pictureOf(deck)).toBeUndefined();
    expect(await pictureOf(await world.aDeck(owner, [page(), picture('thumbnail.png', 'text/html')]))).toBeUndefined();
  });

  test('are those of the version that the link shows', async () => {
    const files = [entry('<meta name=description content=New>'), picture('thumbnail.png')];
    const mine = await world.aDeck(owner, [entry('<meta name=description content=Old>')]);
    await world.uploadAll(owner, { presentationId: mine.presentationId }, files);
    await world.commit(owner, { presentationId: mine.presentationId }, files);
    expect((await metadataOf(mine))['description']).toBe('New');
    expect(await pictureOf(mine)).toBe('bytes of thumbnail.png');
    const input = {
      presentationId: mine.presentationId,
      tokenId: mine.tokenId,
      versionMode: { type: 'pinned', version: 1 },
    };
    expect((await world.call('setTokenVersionMode', input, { key: owner.key })).status).toBe(200);
    expect((await metadataOf(mine))['description']).toBe('Old');
    expect(await pictureOf(mine)).toBeUndefined();
  });
});

describe('the address of a picture', () => {
  const files = [page(), picture('thumbnail.png')];
  const addressOf = async (shared: Deck) => (await metadataOf(shared))['og:image']!;
  const statusOf = async (url: string) => (await requestLocally(url)).status;

  test('is below the address of the page, has no token, and answers the bytes for any site', async () => {
    const mine = await world.aDeck(owner, files);
    const address = await addressOf(mine);
    const { origin, pathname } = new URL(mine.shareUrl);
    expect(address.startsWith(`${origin}${pathname}/picture/`)).toBe(true);
    expect(address).not.toContain(mine.token);
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await requestLocally(address, { method });
      expect([status, text]).toEqual([200, method === 'GET' ? 'bytes of thumbnail.png' : '']);
      expect(headers).toMatchObject({
        'content-type': 'image/png',
        'content-length': '22',
        'cache-control': 'private, max-age=300, must-revalidate',
        'content-security-policy': `default-src 'none'; sandbox`,
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'cross-origin',
      });
      expect(headers['set-cookie']).toBeUndefined();
    }
  });

  test('answers 304 and ranges, while the link is open', async () => {
    const mine = await world.aDeck(owner, files);
    const address = await addressOf(mine);
    const { etag = '', ...others } = (await requestLocally(address)).headers;
    expect(others['accept-ranges']).toBe('bytes');
    const look = async (headers: Record<string, string>, method = 'GET') => {
      const answer = await requestLocally(address, { headers, method });
      const { 'content-length': length, 'content-range': range } = answer.headers;
      return [answer.status, answer.text, length, range];
    };
    const fresh = { 'if-none-match': etag };
    for (const method of ['GET', 'HEAD']) expect(await look(fresh, method)).toEqual([304, '', undefined, undefined]);
    expect(await look({ range: 'bytes=9-' })).toEqual([206, 'thumbnail.png', '13', 'bytes 9-21/22']);
    expect(await look({ range: 'bytes=9-' }, 'HEAD')).toEqual([200, '', '22', undefined]);
    expect(await look({ range: 'bytes=22-' })).toEqual([416, expect.any(String), expect.any(String), 'bytes */22']);
    await world.call(
      'unsharePresentation',
      { presentationId: mine.presentationId, tokenId: mine.tokenId },
      { key: owner.key },
    );
    for (const headers of [fresh, { range: 'bytes=22-' }]) expect((await look(headers))[0]).toBe(403);
  });

  test('answers the picture to a navigation of a browser too', async () => {
    const mine = await world.aDeck(owner, files);
    const { status, headers } = await requestLocally(await addressOf(mine), { headers: navigation });
    expect([status, headers['content-type']]).toEqual([200, 'image/png']);
  });

  test('opens nothing for another deck, another link, cut, changed, or with the token or a ticket of the link', async () => {
    const mine = await world.aDeck(owner, files);
    const other = await world.aDeck(owner, files);
    const address = await addressOf(mine);
    const signed = address.split('/').at(-1)!;
    const [tokenId = '', signature = ''] = signed.split('.');
    const { presentationId } = mine;
    const ticket = writeGrant(serviceSecrets.current(), 'ticket', { presentationId, tokenId }, new Date());
    const last = signature.endsWith('0') ? '1' : '0';
    const refused = [
      address.replace(presentationId, other.presentationId),
      address.replace(tokenId, other.tokenId),
      address.slice(0, -1),
      `${address.slice(0, -1)}${last}`,
      `${address}/index.html`,
      `${address}0`,
      address.replace(signature, signature.toUpperCase()),
      address.replace(signed, mine.token),
      address.replace(signed, ticket),
      address.replace(`/${signed}`, `?token=${mine.token}`),
      address.replace(signed, 'thumbnail.png'),
    ];
    expect(await Promise.all(refused.map(statusOf))).toEqual(refused.map(() => 404));
    // Nothing else accepts the signed text.
    const elsewhere = [
      `${world.cloud.hostingUrl}/share/${presentationId}?token=${signed}`,
      world.viewUrl({ presentationId, token: signed }),
    ];
    expect(await Promise.all(elsewhere.map(statusOf))).toEqual([404, 404]);
    expect(await statusOf(address)).toBe(200);
  });

  test('is refused at the next request after the link was revoked, and after the deck expired or was deleted', async () => {
    const mine = await world.aDeck(owner, files);
    const { presentationId, tokenId } = mine;
    const address = await addressOf(mine);
    const look = async () => {
      const { status, headers, text } = await requestLocally(address);
      expect([headers['cache-control'], headers['content-type']]).toEqual(['no-store', 'text/html; charset=utf-8']);
      return [status, headingOf(text)];
    };
    const stored = world.database.doc(`presentations/${presentationId}`);
    await stored.update({ expiresAt: new Date(Date.now() - 1) });
    expect(await look()).toEqual([410, 'This presentation has expired']);
    await stored.update({ expiresAt: null });
    expect(await statusOf(address)).toBe(200);
    await world.call('unsharePresentation', { presentationId, tokenId }, { key: owner.key });
    expect(await look()).toEqual([403, 'This link was revoked']);
    await world.call('deletePresentation', { presentationId }, { key: owner.key });
    expect(await look()).toEqual([404, 'This link does not open a presentation']);
  });

  test('counts no view, and neither does the page', async () => {
    const mine = await world.aDeck(owner, files);
    const address = await addressOf(mine);
    await world.visit(address);
    await world.visit(mine.shareUrl);
    const counters = await world.database.collection(`presentations/${mine.presentationId}/viewCounters`).get();
    expect(counters.size).toBe(0);
  });
});

describe('while the bucket', () => {
  afterEach(() => {
    process.env['STORAGE_EMULATOR_HOST'] = world.cloud.storage.url;
  });

  test('is slow, the page comes without the metadata of the entry', async () => {
    const gateway = await startBucketGateway(world.cloud.storage.url);
    process.env['STORAGE_EMULATOR_HOST'] = gateway.url;
    const slow = entry('<meta name=description content=Slow>');
    const mine = await world.aDeck(owner, [slow]);
    process.env['PREVIEW_PATIENCE_MS'] = '1';
    const held = gateway.hold('request', ({ address }) => address.includes(sha256(slow.bytes)), 1);
    expect(await metadataOf(mine)).toMatchObject({ 'og:title': 'A deck', 'twitter:card': 'summary' });
    process.env['PREVIEW_PATIENCE_MS'] = '100000';
    const found = metadataOf(mine);
    // The read goes on after the first answer, and the second request shares it.
    await held.until(found);
    held.release();
    expect((await found)['description']).toBe('Slow');
    await gateway.close();
  });

  test('fails, the page comes without the metadata of the entry, and the picture does not', async () => {
    const faults = await startHttpFaults(world.cloud.storage.url);
    const mine = await world.aDeck(owner, [entry('<meta name=description content=A>'), picture('thumbnail.png')]);
    const address = `${mine.shareUrl.split('?')[0]}/picture/${writePictureLink(serviceSecrets.current(), mine.presentationId, mine.tokenId)}`;
    Object.assign(process.env, { STORAGE_EMULATOR_HOST: `http://${faults.host}`, RETRY_PAUSE_MS: '5' });
    await faults.playAlways('unavailable');
    expect((await metadataOf(mine))['description']).toBeUndefined();
    expect((await requestLocally(address)).status).toBe(500);
    await faults.heal();
    expect((await metadataOf(mine))['description']).toBe('A');
    expect(await pictureOf(mine)).toBe('bytes of thumbnail.png');
    await faults.close();
    delete process.env['RETRY_PAUSE_MS'];
  });
});
