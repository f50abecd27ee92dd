import { links, name } from '../../../functions/src/house/tokens.json';
import { labelOfToken, originOf } from '../../../functions/src/values/deck-origins';
import { navigation, requestLocally } from '../../support/deck-origin';
import { succeed, World, type Account } from '../../support/world';

let world: World;
let owner: Account;

beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
});
afterAll(() => world.stop());

/** Revokes a link, and returns its address, and those of its files and of its origin. */
async function aRevokedLink(): Promise<{ share: string; file: string; origin: string }> {
  const deck = await world.aDeck(owner);
  const { presentationId, tokenId } = deck;
  await succeed(world.call('unsharePresentation', { presentationId, tokenId }, { key: owner.key }));
  const origin = `${originOf(world.cloud.deckOrigin!, labelOfToken(tokenId))}/`;
  return { share: deck.shareUrl, file: world.viewUrl(deck), origin };
}

const at = (path: string) => Promise.resolve(new URL(path, world.cloud.marketplaceUrl).href);

test.each<[string, string, () => Promise<string>]>([
  ['a share link that was cut', 'This link does not open a presentation', () => at('/share/x?token=y')],
  ['a revoked share link', 'This link was revoked', async () => (await aRevokedLink()).share],
  ['a file of a revoked link', 'This link was revoked', async () => (await aRevokedLink()).file],
  ['the origin of a deck', 'Open the share link to see the presentation', async () => (await aRevokedLink()).origin],
  ['an unknown listing', 'Page not found', () => at('/marketplace/none-such')],
  ['a cut link of a mail', 'This link is not valid', () => at('/mail/abc')],
])('%s: a page in the frame of the site, which names the request as the header does', async (_, title, address) => {
  const { text, headers } = await requestLocally(await address(), { headers: navigation });
  expect(text).toContain(`>${title}</title>`);
  expect(text).toContain(`<h1>${title}</h1>`);
  const linksIn = (frame: string) => {
    const [, nav = ''] = new RegExp(`<${frame}\\b.*?<nav[^>]*>(.*?)</nav>`, 's').exec(text)!;
    return [...nav.matchAll(/<a [^>]*>([^<]+)<\/a>/g)].map(([, shown]) => shown);
  };
  expect(linksIn('header')).toEqual(links.header.map((each) => each.text));
  expect(linksIn('footer')).toEqual(links.footer.map((each) => each.text));
  expect(text).toMatch(new RegExp(`<header.*>${name}</a>`));
  expect(/<code[^>]*>([^<]+)<\/code>/.exec(text)?.[1]).toBe(headers['x-request-id']);
});
