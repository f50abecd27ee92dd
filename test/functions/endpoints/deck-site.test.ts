import { request, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { config, serviceSecrets } from '../../../functions/src/config';
import { grantSeconds, writeGrant, type GrantKind } from '../../../functions/src/values/deck-grants';
import { labelOfToken } from '../../../functions/src/values/deck-origins';
import { newId } from '../../../functions/src/values/ids';
import { navigation, openOnOrigin, type OpenedLink } from '../../support/deck-origin';
import { page, sha256, World, type Account, type Deck, type DeckFile } from '../../support/world';

let world: World;
let owner: Account;
let deck: Deck;
let other: Deck;
let link: OpenedLink;

const text = (path: string, content: string, contentType = 'text/plain; charset=utf-8'): DeckFile => ({
  ...{ path, bytes: Buffer.from(content), contentType },
});
const entry = page('Entry');
const about = page('About', 'about.html');
const script = text('assets/app.js', 'export {}', 'text/javascript; charset=utf-8');

beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
  deck = await world.aDeck(owner, [entry, about, script, page('Folder', 'a/index.html')]);
  other = await world.aDeck(owner, [page('Other')]);
  link = await openOnOrigin(shareUrlOf(deck));
});
afterAll(() => world.stop());

const shareUrlOf = ({ presentationId, token }: Pick<Deck, 'presentationId' | 'token'>) =>
  `${world.cloud.hostingUrl}/share/${presentationId}?token=${token}`;
const hostOf = (tokenId: string) => new URL(world.cloud.deckOrigin!.replace('*', labelOfToken(tokenId))).host;

interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends a request target as it is, with exactly these headers. An array repeats a header. */
function send(
  target: string,
  headers: Record<string, string | string[] | undefined> = {},
  method = 'GET',
): Promise<RawAnswer> {
  const { port } = new URL(world.cloud.deckOrigin!.replace('*', 'x'));
  const given = Object.entries({ host: hostOf(deck.tokenId), ...headers }).filter(([, value]) => value !== undefined);
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: target, method, agent: false as const, setHost: false };
    const sent = request({ ...options, headers: Object.fromEntries(given) as Record<string, string> }, (response) => {
      buffer(response).then(
        (bytes) => resolve({ status: response.statusCode!, headers: response.headers, text: bytes.toString() }),
        reject,
      );
    });
    sent.on('error', reject).end();
  });
}
const granted = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(target, { cookie: link.cookie, ...headers }, method);
const signed = (kind: GrantKind, of: Pick<Deck, 'presentationId' | 'tokenId'> = deck, ageSeconds = 0) =>
  writeGrant(serviceSecrets.current(), kind, of, new Date(Date.now() - ageSeconds * 1000));
const cookieOf = (grant: string) => ({ cookie: `__Host-deck=${grant}` });

const site = () => new URL(config.viewerUrl()).origin;

describe('a link', () => {
  test('opens on the origin of its deck, without its token', async () => {
    const answer = await link.get('/', { headers: navigation });
    expect([answer.status, answer.text.includes('Entry')]).toEqual([200, true]);
    expect(answer.headers).toMatchObject({
      'content-type': entry.contentType,
      'cache-control': 'private, no-cache',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=()',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
    });
    expect(answer.headers['content-security-policy']).toMatch(new RegExp(`^frame-ancestors 'self' ${site()}`));
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['access-control-expose-headers']).toBeUndefined();
  });

  test('serves every file at its own path', async () => {
    const answer = await granted('/assets/app.js');
    expect([answer.status, answer.text]).toEqual([200, 'export {}']);
    expect(answer.headers).toMatchObject({
      'content-type': script.contentType,
      'content-length': String(script.bytes.length),
      'cache-control': 'private, max-age=300, must-revalidate',
      'accept-ranges': 'bytes',
      etag: `"${sha256(script.bytes)}"`,
    });
    expect(answer.headers['cross-origin-opener-policy']).toBeUndefined();
  });
});
