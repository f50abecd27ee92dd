import { navigation, requestLocally } from '../../support/deck-origin';
import { page, World, type Account } from '../../support/world';

/**
 * Errors of pages: a page to somebody who opens the address, a line of text where a browser asks for a part of a page.
 */

let world: World;
let owner: Account;
beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
});
afterAll(() => world.stop());

const part = { accept: 'image/avif,image/webp,*/*;q=0.8', 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' };
const frame = { ...navigation, 'sec-fetch-dest': 'iframe' };

/** The host to which the local site leads every window. */
const site = () => new URL(world.cloud.marketplaceUrl).origin;

/** The addresses of missing things, on the site and on the functions. */
const addresses = (deckPath: string): Record<string, string> => ({
  'a listing': `${site()}/marketplace/none-such-listing`,
  'a list': `${site()}/marketplace?kind=zzz`,
  'a share page': `${site()}/share/none?token=none`,
  'the picture of a share page': `${site()}/share/none/picture/none`,
  'a mail page': `${site()}/mail/none`,
  'a page of a deck': `${world.cloud.baseUrl}/getSharedPresentation/${deckPath}/none.html`,
  'a page of a listing': `${world.cloud.baseUrl}/getMarketplaceListingContent/none-such-listing/index.html`,
});

test.each([
  'a listing',
  'a list',
  'a share page',
  'the picture of a share page',
  'a mail page',
  'a page of a deck',
  'a page of a listing',
])('%s that is missing', async (name) => {
  const deck = await world.aDeck(owner, [page()]);
  const url = addresses(`${deck.presentationId}/_f/${deck.token}`)[name]!;
  const [line, whole, framed, unnamed, head] = await Promise.all([
    requestLocally(url, { headers: part }),
    requestLocally(url, { headers: navigation }),
    requestLocally(url, { headers: frame }),
    requestLocally(url),
    requestLocally(url, { headers: part, method: 'HEAD' }),
  ]);
  const type = 'text/plain; charset=utf-8';
  expect([line.headers['content-type'], head.headers['content-type'], head.bytes.length]).toEqual([type, type, 0]);
  expect(line.text).toMatch(/^[^<\n]+\n$/);
  expect(line.bytes.length).toBeLessThan(120);
  // A program that names no destination reads the page: robots do.
  for (const answer of [whole, framed, unnamed]) {
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.status).toBe(line.status);
    expect(answer.bytes.length).toBeGreaterThan(4000);
    expect(answer.headers['cache-control']).toBe(line.headers['cache-control']);
  }
});
