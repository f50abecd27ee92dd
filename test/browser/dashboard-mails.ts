import type { Frame, Route } from 'playwright-core';
import { invitationMail } from '../../functions/src/mail/invitation';
import { oneTimeCodeMail } from '../../functions/src/mail/one-time-code';
import { shareLetter, shareMail } from '../../functions/src/mail/share';
import { codePage } from '../../functions/src/pages/code-page';
import { mailPage } from '../../functions/src/pages/mail-page';

import { contrast } from '../../functions/src/values/contrast';
import { each } from '../support/each';
import { page } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { refuse, type DashboardStage } from './dashboard';

/** What the dashboard sends to other people: mails and their previews. */
export function proveMails(stage: DashboardStage): void {
  const { button, field, fill, info, press, row, text, toast } = stage;
  const to = 'grace.hopper@example.org';

  describeInBrowser('the mails of a deck', () => {
    test('need an address, go to each of several and may open for them alone; the newest are shown first, page by page', async () => {
      const owner = await stage.world.anOwner('enterprise');
      const { presentationId } = await stage.world.aPushedDeck(owner);
      await stage.arrive({ timezoneId: 'Europe/Berlin' });
      // As in browsers that know whole minutes only.
      await stage.viewer.context.addInitScript({
        content: `const exact = Date.prototype.getTimezoneOffset;
          Date.prototype.getTimezoneOffset = function () { return Math.trunc(exact.call(this)); };`,
      });
      await stage.enter(owner, `/decks/${presentationId}/mails`);
      await text('No mails sent yet.').waitFor();
      await press('Send', text('Enter at least one address.'));
      const only = field('Only the recipient can open it');
      await only.check();
      await field('To').fill('Grace Hopper <grace.h@example.com>; ada@example.com');
      const expiry = field('The links expire');
      await expiry.selectOption('A time that you choose');
      const time = field('Time at which it expires');
      await time.fill('2031-01-31T18:00');
      // The year, digit by digit: before 1893, the offset of Berlin is not of whole minutes.
      for (const key of ['Tab', 'Tab', ...'2042']) await stage.page.keyboard.press(key);
      await soon(async () => expect(await time.inputValue()).toBe('2042-01-31T18:00'));
      await time.fill('');
      // The browser asks for the time.
      await press('Send to 2 recipients', stage.page.locator('input[type="datetime-local"]:focus'));
      await expiry.selectOption('Never');
      await press('Send to 2 recipients', toast('2 mails sent.'));
      await row('grace.h@example.com').getByText('Sent').first().waitFor();
      expect(await stage.world.mails('ada@example.com')).toHaveLength(1);
      const { tokens } = await info({ presentationId }, owner);
      expect(tokens.find(({ name }) => name === 'ada@example.com')).toMatchObject({ allowedEmailCount: 1 });
      await soon(async () => expect(await only.isChecked()).toBe(false));

      // The page asks for 50 mails at once.
      await stage.page.route(/limit=50/, (route) =>
        route.continue({ url: route.request().url().replace('limit=50', 'limit=2') }),
      );
      const later = ['third@example.com', 'fourth@example.com', 'fifth@example.com'];
      for (const email of later)
        await stage.call('sharePresentationViaEmail', { presentationId, emails: [email] }, owner);
      await stage.page.reload();
      const mails = row('@example.com');
      await mails.nth(1).waitFor();
      const shown = async () => (await mails.allTextContents()).map((of) => /[\w.-]+@example\.com/.exec(of)![0]);
      expect(await shown()).toEqual(['fifth@example.com', 'fourth@example.com']);
      await press('Show older mails', mails.nth(3));
      await press('Show older mails', mails.nth(4));
      const sent = ['grace.h@example.com', 'ada@example.com', ...later];
      expect((await shown()).toSorted()).toEqual(sent.toSorted());
      await soon(async () => expect(await button('Show older mails').count()).toBe(0));
      expect(stage.troubles).toEqual([]);
    });

    test('are sent once when the person leaves the form that sends them, and comes back, also after a failure', async () => {
      const { presentationId } = await stage.world.aPushedDeck(stage.owner);
      await stage.enter(stage.owner, `/decks/${presentationId}/mails`);
      const tabs = stage.page.getByRole('navigation', { name: 'Pages of the deck' });
      /** Sends what is typed, leaves the form and comes back. Answers the call, which waits. */
      const leave = async () => {
        const held = new Promise<Route>((resolve) =>
          stage.page.route('**/sharePresentationViaEmail', resolve, { times: 1 }),
        );
        await press('Send to 1 recipient');
        const call = await held;
        await press(tabs.getByRole('link', { name: 'Versions' }), button('Publish a new version'));
        await press(tabs.getByRole('link', { name: 'Mails' }), stage.page.getByRole('status').getByText('Sending …'));
        await soon(async () => expect(await field('To').count()).toBe(0));
        return call;
      };
      await fill({ To: 'left@example.com' });
      await refuse(await leave());
      await stage.alert().waitFor();
      await (await leave()).continue();
      await row('left@example.com').getByText('Sent').first().waitFor();
      await soon(async () => expect(await field('To').inputValue()).toBe(''));
    });
  });

  describeInBrowser('the preview of a mail', () => {
    const MARKUP = '<img src=x onerror="hit=1"><script>hit=2</script> שלום </p></table>';
    const link = () => stage.page.frameLocator('.mail iframe').getByRole('link', { name: 'Open the presentation' });
    /** The dialog has the height of the mail when the frame has told it. */
    const untilHigh = (frame: Frame) =>
      until(frame, 'innerHeight === Math.ceil(document.documentElement.getBoundingClientRect().height)');

    /** Opens the preview of a mail with this message, and answers the frame that shows it. */
    async function preview(message: string): Promise<Frame> {
      const { presentationId } = await stage.world.aPushedDeck(stage.owner, [page()], 'Quarterly results');
      await stage.enter(stage.owner, `/decks/${presentationId}/mails`);
      await fill({ 'Message (optional)': message }, 'Preview', link());
      const frame = stage.page.frames().find((found) => found.url().endsWith('/mail-frame'))!;
      await untilHigh(frame);
      return frame;
    }

    test('shows the HTML of the mail as high as it is, a message with markup as text, and the text as its other form', async () => {
      const frame = await preview(MARKUP);
      expect(await frame.evaluate('document.querySelector("p.edge").textContent')).toBe(MARKUP);
      const found = '[origin, typeof hit, document.images.length, document.scripts.length]';
      expect(await frame.evaluate(found)).toEqual(['null', 'undefined', 0, 0]);
      expect(await stage.page.evaluate('typeof hit')).toBe('undefined');
      const height = await frame.evaluate<number>('innerHeight');
      const longer = await preview('A line.\n'.repeat(80));
      expect(await longer.evaluate<number>('innerHeight')).toBeGreaterThan(height + 1000);
      await press('As text', stage.page.locator('.mail .text').getByText('Open the presentation:'));
      await press('As a mail', link());
      expect(stage.troubles).toEqual([]);
    });

    test('has links that open nothing, runs no script and loads nothing, whatever the HTML is, and stands in no other site', async () => {
      const frame = await preview('Please look.');
      const addresses = () => [stage.page.url(), ...stage.page.frames().map((found) => found.url())];
      const before = addresses();
      await link().click();
      await link().click({ button: 'middle' });
      await link().click({ modifiers: ['ControlOrMeta'] });
      await link().press('Enter');
      await frame.evaluate(`document.querySelector('a').click()`);
      expect([addresses(), stage.viewer.context.pages().length]).toEqual([before, 1]);
      expect(stage.troubles).toEqual([]);

      const evil =
        '<style>p { color: rgb(1, 2, 3) }</style><p id="evil">Evil</p><script>top.name = "hit"</script>' +
        '<img src="https://example.com/x.png" onerror="hit = 1"><iframe src="https://example.com/"></iframe>' +
        '<meta http-equiv="refresh" content="0; url=https://example.com/"><form action="https://example.com/"><button>Go</button></form>';
      const send = `document.querySelector('.mail iframe').contentWindow.postMessage(${JSON.stringify(evil)}, '*')`;
      await stage.page.evaluate(send);
      await until(frame, '!!document.getElementById("evil")');
      await untilHigh(frame);
      const shown = '[typeof hit, getComputedStyle(document.getElementById("evil")).color]';
      expect(await frame.evaluate(shown)).toEqual(['undefined', 'rgb(1, 2, 3)']);
      expect(await stage.page.evaluate('name')).toBe('');
      const asked = stage.viewer.answers.filter(({ url }) => url.startsWith('https://example.com'));
      const address = `${stage.world.cloud.hostingUrl}/mail-frame`;
      expect([asked, frame.url()]).toEqual([[], address]);
      const { headers } = await fetch(address);
      expect(headers.get('content-security-policy')).toBe("frame-ancestors 'self'; sandbox allow-scripts");
    });
  });

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
    texts.push([hex(ink), hex(getComputedStyle(ground).backgroundColor)]);
  }
  return texts;
})()`;

  describeInBrowser('a mail', () => {
    const token = 'Ab3_'.repeat(21) + 'Ab';
    const long = 'without-a-break'.repeat(10);
    const message = `Hi,\n\n${'Averylongword'.repeat(12)}\nAda`;
    const aShare = (brandPrimary: string | null) => {
      const organization = { name: 'Lemon & Söhne', brandPrimary };
      const letter = shareLetter({
        deck: { title: `Plans ${long}`, tracking: 'full' },
        organization,
        sender: { name: 'Ada Lovelace', email: 'ada@example.org' },
        message,
      });
      const url = `https://decks.example.org/share/019a9c1e-0000-7000-8000-000000000000?token=${'Ab3_'.repeat(16)}`;
      return shareMail(letter, to, { url }, token).html;
    };
    const inviter = { name: 'Ada Lovelace', email: 'ada@example.org' };
    const anInvitation = {
      to,
      from: "Ada's workspace",
      brandPrimary: null,
      deckTitle: 'Plans',
      message,
      token,
      inviter,
      presentationId: 'any',
      invitation: token,
    };
    const aCode = { to, use: 'login', digits: '482913', asker: 'Chrome on Windows', linkToken: token } as const;
    const stops = { sender: true, all: false, canResumeAll: false };
    const aPage = {
      token,
      organizationName: `Lemon & Söhne ${long}`,
      stops,
      choice: 'report',
      notice: 'Done.',
    } as const;

    test.each<[string, () => string]>([
      ['with a code', () => oneTimeCodeMail(aCode).html],
      ['that invites', () => invitationMail(anInvitation).html],
      ['that shares', () => aShare(null)],
      ['in a light colour', () => aShare('#ffe14d')],
      ['in a dark colour', () => aShare('#14161a')],
      ['in white', () => aShare('#ffffff')],
      ['whose page stops and allows mails', () => mailPage(aPage)],
      ['whose page stops and allows codes', () => codePage({ token, stoppedUntil: new Date(), notice: 'Done.' })],
    ])('%s has enough contrast and fits, on a phone and on a desktop, in light and in dark', async (_what, make) => {
      await stage.page.setContent(make());
      for (const [colorScheme, width] of [
        ['light', 360],
        ['light', 800],
        ['dark', 360],
        ['dark', 800],
      ] as const) {
        await stage.page.setViewportSize({ width, height: 600 });
        await stage.page.emulateMedia({ colorScheme });
        expect(await stage.page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        const texts = await stage.page.evaluate<[ink: string, ground: string][]>(TEXTS);
        expect(texts.length).toBeGreaterThan(2);
        for (const [ink, ground] of each(texts)) expect(contrast(ink, ground)).toBeGreaterThan(4.2);
      }
    });

    test('in the local inbox leads to a page that stops and allows mails again, without an account or scripts', async () => {
      const owner = await stage.world.anOwner('pro');
      const { presentationId } = await stage.world.aDeck(owner);
      const share = async () =>
        (await stage.call<{ summary: object }>('sharePresentationViaEmail', { presentationId, emails: [to] }, owner))
          .summary;
      await share();
      await stage.page.goto(stage.world.cloud.mailUrl);
      await stage.link(to).click();
      const unsubscribe = (await stage.link('List-Unsubscribe').getAttribute('href'))!;
      await stage.arrive({ javaScriptEnabled: false });
      const answer = async (name: string, notice: string) => {
        await press(button(name, true), stage.page.getByRole('status').getByText(notice, { exact: true }));
      };
      await stage.page.goto(unsubscribe);
      await answer('Stop emails from this sender', 'You will get no more emails from this sender.');
      expect(await share()).toMatchObject({ sent: 0, failed: 1 });
      await answer('Allow emails again', 'You will get emails again.');
      expect(await share()).toMatchObject({ sent: 1, failed: 0 });
    });
  });
}
