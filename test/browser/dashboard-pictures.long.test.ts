import type { Locator } from 'playwright-core';
import { passSeconds } from '../support/clock';
import { runJob } from '../support/jobs';
import { aReader, slide } from '../support/views';
import { page } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { aVersion, DashboardStage } from './dashboard';
import { drawn, picturesOn } from './deck-pictures';
import { file, html, revealDeck, revealFile } from './small-decks';

/** The slides of a deck in the dashboard: their pictures in rows and comparisons, and a live session. */

process.env['LIVE_BEAT_MS'] = '50';

const stage = new DashboardStage({ deckOrigin: true });
const { button, choose, dialog, field, press, text, toast } = stage;
const { isShown, pushed, show } = picturesOn(stage);

const loads = (source: string) =>
  stage.page.evaluate<boolean>(`(async () => {
    const image = new Image();
    image.src = ${JSON.stringify(source)};
    return image.decode().then(() => true, () => false);
  })()`);

describeInBrowser('the pictures of the slides of a deck', () => {
  test('stand with their titles in a row and beside their figures, are loaded when they can be seen, and are shown larger', async () => {
    const deck = await pushed();
    const keys = Array.from({ length: 20 }, (_, i) => `part-${i}`);
    await stage.enter(stage.owner, `/decks/${deck.presentationId}`);
    await soon(async () => expect(await stage.page.locator('.slide-strip').count()).toBe(0));
    const load = await (await aReader(deck)).load();
    await load.tell({ slideCount: 20, current: keys.at(-1)!, slides: keys.map((key, at) => slide(key, at, 1)) });
    passSeconds(1);
    await runJob('foldInsights');
    jest.useRealTimers();
    // The second slide has no title, and the third one no picture.
    const sent = keys.map((key, i) => ({ ...drawn(key, i * 15), title: i === 1 ? '' : `Part ${i}` }));
    await show(deck, 1, sent.toSpliced(2, 1));
    /** The pictures that a page asks for until those at `place` are shown. */
    const askedFor = (tab: string, place: Locator, image: string) =>
      stage.requestsOf(/getSlidePicture/, async () => {
        await stage.open(`/decks/${deck.presentationId}${tab}`);
        await place.scrollIntoViewIfNeeded();
        await isShown(image);
        await stage.settle();
      });

    const ofRow = await askedFor('', stage.page.locator('.slide-strip ol'), '.slide-strip li:nth-child(2) img');
    expect(ofRow.length).toBeLessThan(9);
    const names = () =>
      stage.page.locator('.slide-strip img').evaluateAll((all) => all.map((image) => image.getAttribute('alt')));
    await soon(async () => expect((await names()).slice(0, 2)).toEqual(['Part 0', 'Slide 2']));
    await press(button('Show 7 more'), button('Enlarge “Part 19”'));
    await soon(async () => expect(await stage.page.locator('.slide-strip li').count()).toBe(19));

    const table = stage.page.getByRole('table', { name: 'Slide by slide' });
    const ofTable = await askedFor('/insights', table, '.pictured img');
    expect(ofTable.length).toBeGreaterThan(0);
    expect(ofTable.length).toBeLessThan(15);
    await soon(async () => expect(await stage.page.locator('.pictured .none').count()).toBe(1));
    const first = stage.page.locator('.pictured img').first();
    const name = (await first.getAttribute('alt'))!;
    expect(name).toMatch(/^PART-\d+$/);
    const source = (await first.getAttribute('src'))!;
    expect(await loads(source)).toBe(true);
    await press(button(`Enlarge “${name}”`, true), dialog().locator('img'));
    await press(dialog().getByRole('button', { name: 'Close' }));
    await press(stage.link('Links', true), stage.heading('Links'));
    expect(await loads(source)).toBe(false);
  });

  test('tell what changed between two versions: which slides are new, removed or look different', async () => {
    const deck = await pushed();
    const [intro, numbers] = [drawn('intro', 10), drawn('numbers', 100)];
    await show(deck, 1, [intro, numbers, drawn('thanks', 300)]);
    await aVersion(stage.world, stage.owner, deck.presentationId, [page('two')]);
    await show(deck, 2, [intro, drawn('numbers', 150), drawn('next', 400)]);
    await aVersion(stage.world, stage.owner, deck.presentationId, [page('three')]);
    await stage.enter(stage.owner, `/decks/${deck.presentationId}/versions`);
    await choose('Actions for version 2', 'Compare with the version before');
    const pairs = dialog().locator('.slide-pairs li');
    await pairs.first().waitFor();
    await pairs.last().scrollIntoViewIfNeeded();
    await until(stage.page, `document.querySelectorAll('.slide-pairs img').length === 4`);
    const texts = async (at: number) => [
      (await pairs.nth(at).locator('p').innerText()).split(/\s+/).join(' '),
      await Promise.all((await pairs.nth(at).getByRole('img').all()).map((each) => each.getAttribute('alt'))),
      await pairs.nth(at).locator('.none').allTextContents(),
    ];
    const of = (name: string, version: number) => `${name}, version ${version}`;
    await soon(async () =>
      expect([await texts(0), await texts(1), await texts(2), await pairs.count()]).toEqual([
        ['NUMBERS Changed', [of('NUMBERS', 1), of('NUMBERS', 2)], []],
        ['THANKS Removed', [of('THANKS', 1)], ['Not in version 2']],
        ['NEXT New', [of('NEXT', 2)], ['Not in version 1']],
        3,
      ]),
    );
    await dialog().getByText('1 slide unchanged').waitFor();
    await press(dialog().getByRole('button', { name: 'Close' }));
    await choose('Actions for version 3', 'Compare with the version before');
    await dialog().getByText('Version 3 has no pictures of its slides').waitFor();
  });
});

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
