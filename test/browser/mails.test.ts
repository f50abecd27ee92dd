import type { Browser } from 'playwright-core';
import { invitationMail } from '../../functions/src/mail/invitation';
import { oneTimeCodeMail } from '../../functions/src/mail/one-time-code';
import { shareLetter, shareMail } from '../../functions/src/mail/share';
import { mailPage } from '../../functions/src/pages/mail-page';
import { noticePage } from '../../functions/src/pages/notice-page';
import { contrast } from '../../functions/src/values/contrast';
import { succeed, World } from '../support/world';
import { each } from '../support/each';
import { describeInBrowser, launch } from './browser';

const to = 'grace.hopper@example.org';
const message = `Hi,\n\n${'Averylongword'.repeat(12)}\nAda`;
const link = `https://decks.example.org/share/019a9c1e-0000-7000-8000-000000000000?token=${'Ab3_'.repeat(16)}`;
const token = 'Ab3_'.repeat(21) + 'Ab';
function aShare(brandPrimary: string | null) {
  const deck = { title: `Plans ${'without-a-break'.repeat(10)}` };
  const organization = { name: 'Lemon & Söhne', brandPrimary };
  return shareMail(shareLetter({ deck, organization, sender: 'ada@example.org', message }), to, link, token);
}

const aPage = (choice: 'sender' | 'report', sender: boolean) => {
  const organizationName = `Lemon & Söhne ${'without-a-break'.repeat(10)}`;
  return {
    html: mailPage({
      token,
      organizationName,
      stops: { sender, all: false, canResumeAll: false },
      choice,
      notice: 'Done.',
    }),
  };
};

/** Every text of a mail: its colour and the colour of its background. */
const TEXTS = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const hex = (colour) => '#' + colour.match(/\\d+/g).slice(0, 3).map((part) => (+part).toString(16).padStart(2, '0')).join('');
  const texts = [];
  while (walker.nextNode()) {
    if (!walker.currentNode.data.trim() || walker.currentNode.data === '\\u00a0') continue;
    let ground = walker.currentNode.parentElement;
    const ink = getComputedStyle(ground).color;
    while (getComputedStyle(ground).backgroundColor === 'rgba(0, 0, 0, 0)') ground = ground.parentElement;
    texts.push({ text: walker.currentNode.data.trim(), ink: hex(ink), ground: hex(getComputedStyle(ground).backgroundColor) });
  }
  return texts;
})()`;

describeInBrowser('a mail', () => {
  let browser: Browser;
  beforeAll(async () => {
    process.env['VIEWER_URL'] ??= 'https://decks.example.org';
    process.env['BASE_URL'] ??= 'https://europe-west1-decks-of-a-company.cloudfunctions.net';
    process.env['MARKETPLACE_URL'] ??= 'https://decks.example.org';
    browser = await launch();
  });
  afterAll(() => browser.close());

  test.each([
    ['with a code', () => oneTimeCodeMail(to, 'login', '482913')],
    [
      'that invites',
      () =>
        invitationMail({
          to,
          from: "Ada's workspace",
          deckTitle: 'Plans',
          message,
          token,
          inviter: { name: 'Ada Lovelace', email: 'ada@example.org' },
        }),
    ],
    ['that shares', () => aShare(null)],
    ['in a light colour', () => aShare('#ffe14d')],
    ['in a dark colour', () => aShare('#14161a')],
    ['in white', () => aShare('#ffffff')],
    ['whose page offers to stop mails', () => aPage('sender', false)],
    ['whose page offers to allow mails again', () => aPage('report', true)],
    [
      'whose link was cut',
      () => ({ html: noticePage.html({ heading: 'This link is not valid', text: 'Copy the whole link.' }) }),
    ],
  ])('%s has enough contrast and fits, on a phone and on a desktop, in light and in dark', async (_what, make) => {
    const page = await browser.newPage();
    await page.setContent(make().html);
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [360, 800]) {
        await page.setViewportSize({ width, height: 600 });
        await page.emulateMedia({ colorScheme });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        const texts = await page.evaluate<{ text: string; ink: string; ground: string }[]>(TEXTS);
        expect(texts.length).toBeGreaterThan(2);
        for (const { ink, ground } of each(texts)) expect(contrast(ink, ground)).toBeGreaterThan(4.2);
      }
    }
    await page.close();
  });

  test('in the local inbox leads to a page that stops and allows mails again, without an account or scripts', async () => {
    delete process.env['VIEWER_URL'];
    delete process.env['BASE_URL'];
    const world = await World.start();
    try {
      const { key, ...owner } = await world.anOwner('pro');
      const { presentationId } = await world.aDeck({ key, ...owner });
      const share = () =>
        succeed(
          world.call<{ summary: object }>('sharePresentationViaEmail', { presentationId, emails: [to] }, { key }),
        );
      await share();
      const context = await browser.newContext();
      const inbox = await context.newPage();
      await inbox.goto(world.cloud.mailUrl);
      await inbox.getByRole('link', { name: /shared/ }).click();
      const hrefs = [await inbox.getByRole('link', { name: 'List-Unsubscribe' }).getAttribute('href')];
      for (const name of [/^Stop mails from/, /^Stop all mails/, /^Report/]) {
        hrefs.push(await inbox.frameLocator('iframe').getByRole('link', { name }).getAttribute('href'));
      }
      expect(hrefs).toEqual([hrefs[0], hrefs[0], `${hrefs[0]}?choice=all`, `${hrefs[0]}?choice=report`]);
      const opened = context.waitForEvent('page');
      await inbox.getByRole('link', { name: 'List-Unsubscribe' }).click();
      await (await opened).getByRole('heading', { name: 'Stop mails' }).waitFor();

      const page = await browser.newPage({ javaScriptEnabled: false });
      const press = async (name: string, notice: string) => {
        await page.getByRole('button', { name, exact: true }).click();
        await page.getByRole('status').getByText(notice, { exact: true }).waitFor();
      };
      await page.goto(hrefs[0]!);
      await press('Stop mails from this sender', 'Mails from this sender are stopped.');
      expect((await share()).summary).toMatchObject({ sent: 0, failed: 1 });
      await press('Allow mails again', 'You get mails again.');
      expect((await share()).summary).toMatchObject({ sent: 1, failed: 0 });
    } finally {
      await world.stop();
    }
  });
});
