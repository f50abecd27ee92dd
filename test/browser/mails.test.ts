import type { Browser } from 'playwright-core';
import { invitationMail } from '../../functions/src/mail/invitation';
import { oneTimeCodeMail } from '../../functions/src/mail/one-time-code';
import { shareLetter, shareMail } from '../../functions/src/mail/share';
import { contrast } from '../../functions/src/values/contrast';
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
    browser = await launch();
  });
  afterAll(() => browser.close());

  test.each([
    ['with a code', () => oneTimeCodeMail(to, 'login', '482913')],
    [
      'that invites',
      () =>
        invitationMail({ to, from: "Ada's workspace", replyTo: 'ada@example.org', deckTitle: 'Plans', message, token }),
    ],
    ['that shares', () => aShare(null)],
    ['in a light colour', () => aShare('#ffe14d')],
    ['in a dark colour', () => aShare('#14161a')],
    ['in white', () => aShare('#ffffff')],
  ])('%s has enough contrast and fits, on a phone and on a desktop, in light and in dark', async (_what, make) => {
    const { html } = make();
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [360, 800]) {
        const page = await browser.newPage({ viewport: { width, height: 600 }, colorScheme });
        await page.setContent(html);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        const texts = await page.evaluate<{ text: string; ink: string; ground: string }[]>(TEXTS);
        expect(texts.length).toBeGreaterThan(2);
        for (const { ink, ground } of texts) expect(contrast(ink, ground)).toBeGreaterThan(4.2);
        await page.close();
      }
    }
  });
});
