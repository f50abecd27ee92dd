import { each } from '../support/each';
import type { Deck } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { expectToFit } from './fits';
import { html } from './small-decks';
import type { Stage } from './stage';

const passcode = 'orchid-47';
const READER = 'grace@reader.example';

/** The page that asks before a link opens. */
export function proveGate(stage: Stage): void {
  describeInBrowser('the gate of a link', () => {
    let deck: Deck;
    const set = (rules: object) =>
      stage.call('updateShareToken', { presentationId: deck.presentationId, tokenId: deck.tokenId, ...rules });
    const submit = () => stage.page.locator('button.first').click();
    /** Waits for the deck, on its origin. */
    const opened = (hash = '') => until(stage.page, `document.title === 'Secret title' && location.hash === '${hash}'`);

    beforeEach(async () => {
      deck = await stage.aDeck([html('<title>Secret title</title><p>Secret numbers')], 'Secret title');
    });

    test('shows the organization and nothing of the deck, in 12 KB, and opens it at the slide of the link', async () => {
      await stage.world.database.doc(`organizations/${stage.owner.organizationId}`).update({ brandPrimary: '#ffd400' });
      await set({ passcode, allowedEmails: [READER], maxOpenings: 3 });
      const answer = (await stage.page.goto(`${deck.shareUrl}#slide-7`))!;
      const text = await answer.text();
      expect([answer.status(), /Secret/.test(text), text.includes(stage.owner.email)]).toEqual([200, false, false]);
      expect(Buffer.byteLength(text)).toBeLessThan(12 * 1024);
      await expectToFit(stage.page);
      await stage.page.locator('#passcode').fill('wrong-one');
      await stage.page.locator('#email').fill(READER);
      await submit();
      await stage.text('This passcode is wrong.').waitFor();
      await soon(async () => expect(await stage.page.locator('#email').inputValue()).toBe(READER));
      await stage.page.locator('#passcode').fill(passcode);
      await submit();
      await stage.page.locator('#code').fill('000000');
      await expectToFit(stage.page);
      await submit();
      await stage.text('This code is wrong.').waitFor();
      const code = await stage.world.mailedCode(READER);
      await stage.page.locator('#code').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
      await submit();
      await opened('#slide-7');
      await stage.page.reload();
      await opened('#slide-7');
    });

    test('works without scripts, and one button opens a link that opens a number of times', async () => {
      await set({ maxOpenings: 1 });
      await stage.arrive({ javaScriptEnabled: false });
      await stage.page.goto(deck.shareUrl);
      await submit();
      await stage.text('Secret numbers').waitFor();
      await stage.page.reload();
      await stage.text('Secret numbers').waitFor();
      await stage.page.goto(deck.shareUrl);
      await stage.text('has expired').waitFor();
    });

    test('stands before an opened deck again when its passcode is new', async () => {
      await set({ passcode });
      await stage.page.goto(deck.shareUrl);
      await stage.page.locator('#passcode').fill(passcode);
      await submit();
      await opened();
      await set({ passcode: 'another-one' });
      await stage.page.goto(`${new URL(stage.page.url()).origin}/#4`);
      await stage.page.reload();
      await stage.page.locator('#passcode').fill('another-one');
      for (const secret of each([deck.token, passcode])) expect(stage.page.url()).not.toContain(secret);
      await submit();
      await opened('#4');
    });
  });
}
