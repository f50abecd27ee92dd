import { passSeconds } from '../support/clock';
import { runJob } from '../support/jobs';
import { showSlides, slide as bar, type SentSlide } from '../support/pictures';
import { aReader, slide } from '../support/views';
import { page, type Deck } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { aVersion, DashboardStage } from './dashboard';

/** The pictures of slides in the dashboard. */

const stage = new DashboardStage({ deckOrigin: true });
const { answer, button, choose, dialog, field, info, press, toast } = stage;

/** The picture of a slide: a bar, whose left edge is at `left`. */
const drawn = (key: string, left: number): SentSlide => ({ key, title: key.toUpperCase(), bytes: bar(left) });
const show = ({ presentationId }: Deck, version: number, slides: SentSlide[]) =>
  showSlides(stage.owner, presentationId, version, slides, stage.world);
const pushed = () => stage.world.aPushedDeck(stage.owner, [page()], 'Quarterly results');
const isShown = (selector: string) => until(stage.page, `document.querySelector('${selector}')?.naturalWidth > 0`);
const loads = (source: string) =>
  stage.page.evaluate<boolean>(`(async () => {
    const image = new Image();
    image.src = ${JSON.stringify(source)};
    return image.decode().then(() => true, () => false);
  })()`);

describeInBrowser('the pictures of the slides of a deck', () => {
  test('stand in the list, on its page and in the preview of a mail, until its owner does without them', async () => {
    const deck = await pushed();
    await show(deck, 1, [drawn('intro', 10), drawn('numbers', 200)]);
    await stage.enter(stage.owner, '/decks');
    await isShown('.deck-card img');
    await stage.open(`/decks/${deck.presentationId}`);
    await isShown('.poster img');
    await stage.open(`/decks/${deck.presentationId}/mails`);
    await press('Preview');
    const mailed = stage.page.frameLocator('dialog iframe').getByRole('img', { name: 'INTRO' });
    await mailed.waitFor();
    await until(stage.page.frames().at(-1)!, `document.querySelector('img').naturalWidth > 0`);

    await stage.open(`/decks/${deck.presentationId}/settings`);
    const choice = field('Keep a picture of each slide');
    await stage.expectTidy();
    await press(choice, dialog());
    await answer('Cancel');
    await soon(async () => expect(await choice.isChecked()).toBe(true));
    await press(choice, dialog());
    await answer('Delete the pictures', toast('The pictures of the slides are deleted.'));
    await soon(async () =>
      expect([await choice.isChecked(), await info(deck)]).toMatchObject([false, { slidePictures: false }]),
    );
    await stage.open('/decks');
    await soon(async () => expect(await stage.page.locator('.deck-card img').count()).toBe(0));
    await stage.open(`/decks/${deck.presentationId}/settings`);
    await press(choice, toast('The next push draws pictures of the slides.'));
    expect(await info(deck)).toMatchObject({ slidePictures: true });
  });

  test('stand in a row on its page, with their titles, and are loaded when they can be seen', async () => {
    const deck = await pushed();
    await stage.enter(stage.owner, `/decks/${deck.presentationId}`);
    await stage.settle();
    await soon(async () => expect(await stage.page.locator('.slide-strip').count()).toBe(0));
    await show(
      deck,
      1,
      Array.from({ length: 30 }, (_, i) => ({ ...drawn(`part-${i}`, i * 15), title: i === 1 ? '' : `Part ${i}` })),
    );
    const asked = await stage.requestsOf(/getSlidePicture/, async () => {
      await stage.open(`/decks/${deck.presentationId}`);
      await stage.page.locator('.slide-strip ol').scrollIntoViewIfNeeded();
      await isShown('.slide-strip li:nth-child(2) img');
      await stage.settle();
    });
    expect(asked.length).toBeLessThan(9);
    const images = stage.page.locator('.slide-strip img');
    const names = () => images.evaluateAll((all) => all.map((image) => image.getAttribute('alt')));
    expect((await names()).slice(0, 2)).toEqual(['Part 0', 'Slide 2']);
    await stage.expectTidy();
    await press(button('Show 18 more'), button('Enlarge “Part 29”'));
    await soon(async () => expect(await stage.page.locator('.slide-strip li').count()).toBe(30));
  });

  test('stand beside their figures, are loaded when they can be seen, and are shown larger', async () => {
    const deck = await pushed();
    const keys = Array.from({ length: 30 }, (_, i) => `part-${i}`);
    const load = await (await aReader(deck)).load();
    await load.tell({ slideCount: 30, current: keys.at(-1)!, slides: keys.map((key, at) => slide(key, at, 1)) });
    passSeconds(1);
    await runJob('foldInsights');
    jest.useRealTimers();
    // The second slide has no picture.
    await show(
      deck,
      1,
      keys.flatMap((key, i) => (i === 1 ? [] : [drawn(key, i * 15)])),
    );

    await stage.enter(stage.owner);
    const asked = await stage.requestsOf(/getSlidePicture/, async () => {
      await stage.open(`/decks/${deck.presentationId}/insights`);
      await stage.page.getByRole('table', { name: 'Slide by slide' }).scrollIntoViewIfNeeded();
      await isShown('.pictured img');
      await stage.settle();
    });
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThan(15);
    await soon(async () => expect(await stage.page.locator('.pictured .none').count()).toBe(1));
    const first = stage.page.locator('.pictured img').first();
    await soon(async () => expect(await first.getAttribute('alt')).toBe('PART-0'));
    await stage.expectTidy();

    const source = (await first.getAttribute('src'))!;
    expect(await loads(source)).toBe(true);
    await press(button('Enlarge “PART-0”'), dialog().locator('img'));
    await stage.expectTidy();
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
    await stage.expectTidy();
    await press(dialog().getByRole('button', { name: 'Close' }));
    await choose('Actions for version 3', 'Compare with the version before');
    await dialog().getByText('Version 3 has no pictures of its slides').waitFor();
  });
});
