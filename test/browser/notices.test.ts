import { links, name } from '../../functions/src/house/tokens.json';
import { labelOfToken, originOf } from '../../functions/src/values/deck-origins';
import { succeed } from '../support/world';
import { describeInBrowser } from './browser';
import { Stage } from './stage';

const stage = new Stage();
const host = () => stage.world.cloud.hostingUrl;

/** Revokes a link, and returns its address, and those of its files and of its origin. */
async function aRevokedLink(): Promise<{ share: string; file: string; origin: string }> {
  const deck = await stage.world.aDeck(stage.owner);
  const { presentationId, tokenId } = deck;
  await succeed(stage.world.call('unsharePresentation', { presentationId, tokenId }, { key: stage.owner.key }));
  const origin = originOf(stage.world.cloud.deckOrigin!, labelOfToken(tokenId));
  return { share: deck.shareUrl, file: stage.world.viewUrl(deck), origin: `${origin}/` };
}

/** The address of the page that stops mails, from a mail. */
async function aMailPage(): Promise<string> {
  const { presentationId } = await stage.world.aDeck(stage.owner);
  const emails = ['grace@example.org'];
  await succeed(stage.world.call('sharePresentationViaEmail', { presentationId, emails }, { key: stage.owner.key }));
  const [mail] = await stage.world.mails(emails[0]!);
  return /^http\S+\/mail\/\S+$/m.exec(mail!.text)![0];
}

/** Sends the report form of a listing. The page is that of the answer. */
async function report(): Promise<void> {
  const { slug } = await stage.world.aListing(stage.owner);
  await stage.viewer.page.goto(`${host()}/marketplace/${slug}`);
  await stage.viewer.page.getByText('Report this listing').click();
  await stage.viewer.page.getByLabel('What is wrong with it?').selectOption('It is spam');
  await stage.viewer.page.getByRole('button', { name: 'Send report' }).click();
}

type Case = [string, string, () => Promise<string | void>];
const errors: Case[] = [
  ['a share link that was cut', 'This link does not open a presentation', async () => `${host()}/share/x?token=y`],
  ['a revoked share link', 'This link was revoked', async () => (await aRevokedLink()).share],
  [
    'the origin of a deck, without the link',
    'Open the share link to see the presentation',
    async () => (await aRevokedLink()).origin,
  ],
  ['an unknown listing', 'Page not found', async () => `${host()}/marketplace/none-such`],
  ['a cut link of a mail', 'This link is not valid', async () => `${host()}/mail/abc`],
];
// The policy of this page forbids scripts, and so those of axe.
const aFile: Case = ['a file of a revoked link', 'This link was revoked', async () => (await aRevokedLink()).file];
const others: Case[] = [
  ['an unknown filter', 'This list does not exist', async () => `${host()}/marketplace?kind=zzz`],
  ['a sent report', 'Thank you', report],
  ['the choices of a mail', "Mails from Ada's workspace", aMailPage],
];

describeInBrowser('the notices of the functions in a browser', () => {
  test.each([...errors, ...others])('%s: a page in the frame of the site', async (_, says, at) => {
    const { page } = stage.viewer;
    const url = await at();
    if (url) await page.goto(url);
    await page.getByRole('heading', { level: 1, name: says, exact: true }).waitFor();
    const linksIn = (frame: string) => page.locator(`${frame} nav a`).allTextContents();
    expect(await linksIn('header')).toEqual(links.header.map(({ text }) => text));
    expect(await linksIn('footer')).toEqual(links.footer.map(({ text }) => text));
    expect(await page.getByRole('banner').getByRole('link', { name, exact: true }).count()).toBe(1);
  });

  test.each([...errors, aFile])('%s: names the request, as the header does', async (_, says, at) => {
    const answer = await stage.viewer.page.goto((await at()) as string);
    expect(await stage.viewer.page.title()).toBe(says);
    expect(await stage.viewer.page.locator('main code').textContent()).toBe(answer!.headers()['x-request-id']);
  });
});
