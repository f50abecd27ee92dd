import { describeInBrowser } from './browser';
import { DashboardStage } from './dashboard';
import { file, html, revealDeck, revealFile } from './small-decks';

/** A live session from the page of a deck. */

process.env['LIVE_BEAT_MS'] = '50';

const stage = new DashboardStage({ deckOrigin: true });
const { button, dialog, field, press, text, toast } = stage;

describeInBrowser('a live session', () => {
  test('is started from the page of a deck, tells where it is and who follows, and ends', async () => {
    const deck = await stage.aDeck([html(revealDeck), file('reveal.js', await revealFile('reveal.js'))]);
    const { presentationId } = deck;
    await stage.call('addPresentationToken', { presentationId, tokenName: 'The hall' });
    await stage.enter(stage.owner, `/decks/${presentationId}`);
    await press('Present live', dialog());
    await field('Link of the audience').selectOption('The hall');
    await press('Start', text('No page presents yet.'));
    await stage.expectTidy();

    const opened = stage.viewer.context.waitForEvent('page');
    await stage.page.getByRole('link', { name: 'Open your page' }).click();
    const own = await opened;
    await text('Slide 1 of').waitFor();
    const reader = await stage.viewer.context.newPage();
    await reader.goto(await stage.page.locator('.live .address').getAttribute('href').then(String));
    await text('1 reader follows.').waitFor();
    await Promise.all([own.close(), reader.close()]);

    // It is found again, with both addresses.
    await stage.page.reload();
    await press('Present live', text('No page presents yet.'));
    await text('Your phone as a remote control').click();
    await stage.page.getByRole('img', { name: 'QR code of your own page: keep it secret' }).waitFor();
    await press('End the session', toast('The live session has ended.'));
    await button('Start').waitFor();
  });
});
