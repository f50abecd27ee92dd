import { readGrant } from '../../../functions/src/values/deck-grants';
import { labelOfToken } from '../../../functions/src/values/deck-origins';
import { serviceSecrets } from '../../../functions/src/config';
import { navigation, sendRequest } from '../../support/http-request';
import { World, type Account, type Deck } from '../../support/world';

let world: World;
let owner: Account;
let deck: Deck;

beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
  deck = await world.aDeck(owner);
});
afterAll(() => world.stop());
beforeEach(() => {
  process.env['DECK_ORIGIN'] = 'http://*.decks.localhost:5050';
});
afterEach(() => {
  delete process.env['DECK_ORIGIN'];
});

const headingOf = (html: string) => /<h1>(.*)<\/h1>/.exec(html)?.[1];

describe('a navigation of a browser', () => {
  test.each(['GET', 'HEAD'])(
    'is redirected to the origin of its link by %s, with a ticket for this link',
    async (method) => {
      const { status, headers, text } = await sendRequest(deck.shareUrl, navigation, method);
      expect([status, text]).toEqual([303, '']);
      const { origin, pathname, search } = new URL(headers.location!);
      expect([origin, search]).toEqual([`http://${labelOfToken(deck.tokenId)}.decks.localhost:5050`, '']);
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
    const { headers } = await sendRequest(new URL(deck.shareUrl + sent).href, navigation);
    expect(new URL(headers.location!).search).toBe(kept);
    expect(headers).not.toHaveProperty('set-cookie');
  });

  test('of a link that does not open gets the page with the reason', async () => {
    const mine = await world.aDeck(owner);
    const look = async (url: string) => {
      const { status, headers, text } = await sendRequest(url, navigation);
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
    delete process.env['DECK_ORIGIN'];
    const { status, text } = await sendRequest(deck.shareUrl, navigation);
    expect(status).toBe(200);
    expect(text).toContain('<iframe src=');
  });
});

test.each([
  ['a robot', {}],
  ['a script', { 'sec-fetch-mode': 'cors' }],
  ['an image of a page', { 'sec-fetch-mode': 'no-cors' }],
  ['a browser without Sec-Fetch headers', { accept: 'text/html,*/*', 'user-agent': 'Mozilla/5.0' }],
])('%s gets the page', async (_, headers) => {
  for (const method of ['GET', 'HEAD']) {
    const answer = await sendRequest(deck.shareUrl, headers, method);
    expect([answer.status, answer.headers.location]).toEqual([200, undefined]);
    expect(answer.headers.vary).toContain('Sec-Fetch-Mode');
    expect(answer.text.startsWith(method === 'GET' ? '<!doctype html>' : '')).toBe(true);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' });
  }
});
