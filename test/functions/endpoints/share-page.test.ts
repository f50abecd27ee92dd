import { parseFragment } from 'parse5';
import { serviceSecrets } from '../../../functions/src/config';
import { links, name as houseName } from '../../../functions/src/house/tokens.json';
import { newLinkGrant, readGrant, writeGrant } from '../../../functions/src/values/deck-grants';
import { labelOfToken, originOf } from '../../../functions/src/values/deck-origins';
import { writePictureLink } from '../../../functions/src/values/picture-links';
import { startBucketGateway } from '../../support/bucket-gateway';
import { atSite, navigation, requestLocally } from '../../support/deck-origin';
import { startHttpFaults } from '../../support/faults';
import { contentUrl } from '../../support/marketplace';
import { makePictures, pictureFile, png } from '../../support/pictures';
import { type Account, type Deck, type DeckFile, page, sha256, startWorld, succeed, world } from '../../support/world';

let owner: Account;
let deck: Deck;

startWorld(async () => {
  owner = await world.anOwner();
  deck = await world.aDeck(owner);
});
const headingOf = (html: string) => /<h1>(.*)<\/h1>/.exec(html)?.[1];
const deckDoc = ({ presentationId }: Pick<Deck, 'presentationId'>) =>
  world.database.doc(`presentations/${presentationId}`);
const revoke = ({ presentationId, tokenId }: Deck) =>
  world.call('unsharePresentation', { presentationId, tokenId }, owner);
const originOfLink = ({ tokenId }: Deck) => originOf(world.cloud.deckOrigin!, labelOfToken(tokenId));
/** The status and the heading of the page that a browser gets instead of what it asked for. */
const refusalOf = async (url: string) => {
  const { status, headers, text } = await requestLocally(atSite(url), { headers: navigation });
  expect([headers['content-type'], headers['cache-control']]).toEqual(['text/html; charset=utf-8', 'no-store']);
  return [status, headingOf(text)];
};
const noOpening = 'This link does not open a presentation';

describe('a navigation of a browser', () => {
  test.each(['GET', 'HEAD'])('is redirected to the origin of its link by %s, with a ticket', async (method) => {
    const { status, headers, text } = await requestLocally(atSite(deck.shareUrl), { headers: navigation, method });
    expect([status, text]).toEqual([303, '']);
    const [opening, ticket] = headers.location!.split(/(?<=_open\/)/);
    expect(opening).toBe(`${originOfLink(deck)}/_open/`);
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
  });

  test.each([
    ['&print-pdf', '?print-pdf'],
    ['&a=1&b=x%20y+z&a=2', '?a=1&b=x%20y+z&a=2'],
    ['&embed=&to%6ben=other&q=ä', '?embed=&q=%C3%A4'],
    ['&&', ''],
    ['&next=//evil.example/%0d%0aSet-Cookie:a', '?next=//evil.example/%0d%0aSet-Cookie:a'],
  ])('keeps its query %s as %s', async (sent, kept) => {
    const { headers } = await requestLocally(atSite(deck.shareUrl + sent), { headers: navigation });
    expect(new URL(headers.location!).search).toBe(kept);
    expect(headers).not.toHaveProperty('set-cookie');
  });

  test('of a link that does not open gets the page with the reason', async () => {
    const mine = await world.aDeck(owner);
    const address = mine.shareUrl.split('?')[0]!;
    for (const url of [`${address}?token=${deck.token}`, address, `${world.cloud.hostingUrl}/share/`]) {
      expect(await refusalOf(url)).toEqual([404, noOpening]);
    }
    await deckDoc(mine).update({ expiresAt: new Date(Date.now() - 1) });
    expect(await refusalOf(mine.shareUrl)).toEqual([410, 'This presentation has expired']);
    await revoke(mine);
    expect(await refusalOf(mine.shareUrl)).toEqual([403, 'This link was revoked']);
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
    expect([answer.status, answer.text.slice(0, 15)]).toEqual([200, method === 'GET' ? '<!doctype html>' : '']);
    const vary = expect.stringContaining('Sec-Fetch-Mode') as string;
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow', vary });
  }
});

test('the page frames the deck in a sandbox, with its title escaped and the token only in the frame', async () => {
  const shared = await world.aDeck(owner, [page('', 'slides/index.html')], 'Quarter <1> & "plans"');
  const { headers, text } = await requestLocally(shared.shareUrl);
  expect(text).toContain('<title>Quarter &lt;1> &amp; &quot;plans&quot;</title>');
  expect(text).toContain(`src="${world.framedUrl(shared, 'slides/index.html')}"`);
  expect(text.split(shared.token)).toHaveLength(2);
  expect(text).toMatch(/sandbox="allow-scripts(?!.*(allow-same-origin|allow-top-navigation))/s);
  expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'content-type': 'text/html; charset=utf-8' });
  expect(headers['content-security-policy']).toContain("default-src 'none'");
});

/** The metadata of the page, by name, as a robot reads it. */
async function metadataOf({ shareUrl }: Deck): Promise<Record<string, string>> {
  const { status, text } = await requestLocally(shareUrl);
  expect(status).toBe(200);
  const elements = parseFragment(text).childNodes.filter((node) => 'attrs' in node);
  // Text of the deck makes no element.
  const names = elements.map(({ tagName }) => tagName).join(' ');
  expect(names).toMatch(/^(meta )+title (meta )+link style (noscript )?(main )?script$/);
  const rows = elements.map(({ attrs }) => {
    const { name, property = name, content } = Object.fromEntries(attrs.map((attr) => [attr.name, attr.value]));
    return [property, content];
  });
  return Object.fromEntries(rows) as Record<string, string>;
}
const entry = (head: string | Buffer, path?: string) => ({ ...page('', path), bytes: Buffer.from(head as string) });
/** The path of the file of which the picture was made that the page names. */
async function pictureOf(shared: Deck, files: readonly DeckFile[]): Promise<string | undefined> {
  await makePictures();
  const { 'og:image': address, 'twitter:card': card } = await metadataOf(shared);
  expect(card).toBe(address === undefined ? 'summary' : 'summary_large_image');
  if (address === undefined) return undefined;
  const { status, headers } = await requestLocally(address);
  expect([status, headers['content-type']]).toEqual([200, 'image/jpeg']);
  const { source } = (await deckDoc(shared).get()).get('picture') as { source: string };
  return files.find(({ bytes }) => sha256(bytes) === source)?.path;
}

describe('link previews', () => {
  // Which text and which picture an entry names: values/html.test.ts, policy/pictures.test.ts.
  test.each([
    ['the description', '<meta name=description content=" Two\n words ">', 'Two words'],
    ['markup as text', `<meta name=description content='"><script>alert(1)</script>'>`, '"><script>alert(1)</script>'],
    ['nothing of another encoding', Buffer.from('<meta name=description content="\xe4">', 'latin1'), undefined],
    ['nothing after 64 KB', `<style>${' '.repeat(64 * 1024)}</style><meta name=description content=A>`, undefined],
  ])('have %s of the entry', async (_, head, description) => {
    const found = await metadataOf(await world.aDeck(owner, [entry(head)]));
    expect([found['description'], found['og:description']]).toEqual([description, description]);
  });

  test.each([`</title><script>alert(1)</script>"><img src=x onerror='alert(1)'>`, '{{ $& $1 ${title} }}'])(
    'have the title %s of the deck',
    async (title) => {
      expect((await metadataOf(await world.aDeck(owner, [page()], title)))['og:title']).toBe(title);
    },
  );

  test('have the picture that the entry names', async () => {
    const named = entry('<meta property="og:image" content="a/b%20c.png">', 'talk/index.html');
    const files = [named, pictureFile('talk/a/b c.png'), pictureFile('thumbnail.jpg', 'image/jpeg')];
    expect(await pictureOf(await world.aDeck(owner, files), files)).toBe('talk/a/b c.png');
  });

  test('are those of the version that the link shows, which may have no picture', async () => {
    const files = [entry('<meta name=description content=New>'), pictureFile('thumbnail.png')];
    const mine = await world.aDeck(owner, [entry('<meta name=description content=Old>')]);
    const { presentationId, tokenId } = mine;
    await world.uploadAll(owner, { presentationId }, files);
    await world.commit(owner, { presentationId }, files);
    expect((await metadataOf(mine))['description']).toBe('New');
    expect(await pictureOf(mine, files)).toBe('thumbnail.png');
    const pin = { presentationId, tokenId, versionMode: { type: 'pinned', version: 1 } };
    await succeed(world.call('setTokenVersionMode', pin, { key: owner.key }));
    expect((await metadataOf(mine))['description']).toBe('Old');
    expect(await pictureOf(mine, files)).toBeUndefined();
    const asPage = [page(), pictureFile('thumbnail.png', 'text/html')];
    expect(await pictureOf(await world.aDeck(owner, asPage), asPage)).toBeUndefined();
  });
});

describe('the address of a picture', () => {
  const files = [page(), pictureFile('thumbnail.png')];
  const addressOf = async (shared: Deck) => {
    await makePictures();
    return (await metadataOf(shared))['og:image']!;
  };
  const statusOf = async (url: string) => (await requestLocally(url)).status;

  test('is below the address of the page, has no token, and answers the bytes for any site without a view', async () => {
    const mine = await world.aDeck(owner, files);
    const address = await addressOf(mine);
    expect(address.startsWith(`${mine.shareUrl.split('?')[0]}/picture/`)).toBe(true);
    expect(address).not.toContain(mine.token);
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await requestLocally(address, { method });
      expect([status, text !== '']).toEqual([200, method === 'GET']);
      expect(headers).toMatchObject({
        'content-type': 'image/jpeg',
        'cache-control': 'private, max-age=300, must-revalidate',
        'content-security-policy': `default-src 'none'; sandbox`,
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'cross-origin',
      });
      expect(headers['set-cookie']).toBeUndefined();
    }
    const opened = await requestLocally(atSite(address), { headers: navigation });
    expect(opened).toMatchObject({ status: 200, headers: { 'content-type': 'image/jpeg' } });
    await world.visit(mine.shareUrl);
    expect((await deckDoc(mine).collection('viewCounters').get()).size).toBe(0);
  });

  test('answers 304 and ranges, while the link is open', async () => {
    const mine = await world.aDeck(owner, files);
    const address = await addressOf(mine);
    const { etag, 'content-length': size } = (await requestLocally(address)).headers;
    const look = async (headers: Record<string, string | undefined>) => {
      const answer = await requestLocally(address, { headers });
      return [answer.status, answer.headers['content-range']];
    };
    const [fresh, part] = [{ 'if-none-match': etag }, { range: 'bytes=9-' }];
    expect(await look(fresh)).toEqual([304, undefined]);
    expect(await look(part)).toEqual([206, `bytes 9-${Number(size) - 1}/${size}`]);
    await revoke(mine);
    for (const headers of [fresh, part, {}]) expect((await look(headers))[0]).toBe(403);
  });

  test('opens nothing for another deck, another link, cut, changed, or with the token or a ticket of the link', async () => {
    const mine = await world.aDeck(owner, files);
    const other = await world.aDeck(owner, files);
    const address = await addressOf(mine);
    const signed = address.split('/').at(-1)!;
    const [, signature = ''] = signed.split('.');
    const { presentationId, tokenId } = mine;
    const opening = newLinkGrant({ presentationId, tokenId });
    const ticket = writeGrant(serviceSecrets.current(), 'ticket', opening, new Date());
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
      // Nothing else accepts the signed text.
      `${world.cloud.hostingUrl}/share/${presentationId}?token=${signed}`,
      world.viewUrl({ presentationId, token: signed }),
    ];
    expect(await Promise.all(refused.map(statusOf))).toEqual(refused.map(() => 404));
    expect(await statusOf(address)).toBe(200);
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
    // The instance has not read a picture of this size.
    const files = [page(), pictureFile('thumbnail.png', 'image/png', png(640, 360))];
    const pictured = await world.aDeck(owner, files);
    await makePictures();
    const signed = writePictureLink(serviceSecrets.current(), pictured.presentationId, pictured.tokenId);
    const address = `${pictured.shareUrl.split('?')[0]}/picture/${signed}`;
    // The instance has not read this entry.
    const mine = await world.aDeck(owner, [entry('<meta name=description content=A><p>')]);
    Object.assign(process.env, { STORAGE_EMULATOR_HOST: `http://${faults.host}`, RETRY_PAUSE_MS: '5' });
    await faults.playAlways('unavailable');
    expect((await metadataOf(mine))['description']).toBeUndefined();
    expect((await requestLocally(address)).status).toBe(500);
    await faults.heal();
    expect((await metadataOf(mine))['description']).toBe('A');
    expect(await pictureOf(pictured, files)).toBe('thumbnail.png');
    await faults.close();
    delete process.env['RETRY_PAUSE_MS'];
  });
});

describe('an error', () => {
  const site = (path: string) => `${new URL(world.cloud.marketplaceUrl).origin}${path}`;
  const part = { accept: 'image/avif,image/webp,*/*;q=0.8', 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' };
  const frame = { ...navigation, 'sec-fetch-dest': 'iframe' };

  const pages: [what: string, title: string, address: (open: Deck, revoked: Deck) => string][] = [
    ['a listing', 'Page not found', () => site('/marketplace/none-such-listing')],
    ['a list', 'This list does not exist', () => site('/marketplace?kind=zzz')],
    ['a share page', noOpening, () => site('/share/none?token=none')],
    ['the picture of a share page', noOpening, () => site('/share/none/picture/none')],
    ['a mail page', 'This link is not valid', () => site('/mail/none')],
    ['a page of a deck', 'Nothing is at this address', (open) => world.framedUrl(open, 'none.html')],
    ['a page of a listing', 'Nothing is at this address', () => contentUrl('none-such')],
    ['a revoked share link', 'This link was revoked', (_, { shareUrl }) => atSite(shareUrl)],
    ['a file of a revoked link', 'This link was revoked', (_, revoked) => world.viewUrl(revoked)],
    ['the origin of a deck', 'Open the share link to see the presentation', (open) => `${originOfLink(open)}/`],
  ];
  test.each(pages)('of %s is a page for a window, and a line for a part of a page', async (_what, title, at) => {
    const revoked = await world.aDeck(owner);
    await revoke(revoked);
    const url = at(deck, revoked);
    const line = await requestLocally(url, { headers: part });
    const head = await requestLocally(url, { headers: part, method: 'HEAD' });
    const asText = { 'content-type': 'text/plain; charset=utf-8' };
    expect([line, head]).toMatchObject([{ headers: asText }, { headers: asText, text: '' }]);
    expect(line.text).toMatch(/^[^<\n]{1,118}\n$/);
    // A program that names no destination reads the page, as robots do. It reads none of an origin of a deck.
    for (const headers of [navigation, frame, url.startsWith(originOfLink(deck)) ? frame : {}]) {
      const answer = await requestLocally(url, { headers });
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect([answer.status, answer.headers['cache-control']]).toEqual([line.status, line.headers['cache-control']]);
      expect([headingOf(answer.text), /<title[^>]*>(.*)<\/title>/.exec(answer.text)?.[1]]).toEqual([title, title]);
      for (const place of ['header', 'footer'] as const) {
        const [, nav = ''] = new RegExp(`<${place}\\b.*?<nav[^>]*>(.*?)</nav>`, 's').exec(answer.text)!;
        const shown = [...nav.matchAll(/<a [^>]*>([^<]+)<\/a>/g)].map(([, label]) => label);
        expect(shown).toEqual(links[place].map((link) => link.text));
      }
      expect(answer.text).toMatch(new RegExp(`<header.*>${houseName}</a>`));
      const id = answer.headers['x-request-id'];
      expect(/<code[^>]*>([^<]+)<\/code>/.exec(answer.text)?.[1]).toBe(id);
    }
  });
});
