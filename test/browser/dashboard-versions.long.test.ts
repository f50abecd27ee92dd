import type { Locator, Route } from 'playwright-core';
import { passSeconds } from '../support/clock';
import { aPng } from '../support/image-file';
import { runJob } from '../support/jobs';
import { makePictures, showSlides, slide, type SentSlide } from '../support/pictures';
import { aReader, slide as seenSlide } from '../support/views';
import { page, succeed, type Deck } from '../support/world';
import { describeInBrowser, soon, until } from './browser';
import { aSession, aVersion, DashboardStage, refuse } from './dashboard';
import { droppedOn } from './drop';
import { file, html, PNG, revealDeck, revealFile } from './small-decks';

/** The dashboard around versions: looking before publishing, what is dropped, pictures, and the sources of remixes. */

process.env['LIVE_BEAT_MS'] = '50';

const stage = new DashboardStage({ deckOrigin: true });
const { alert, answer, button, choose, dialog, field, heading, info, link, press, text, toast } = stage;
const { dropOnPage, onDisk, publishAs } = droppedOn(stage);

const slides = (name: string) =>
  page(`<h1 id="one">${name}</h1><a href="#two">Next</a><h1 id="two" style="margin-top: 200vh">End</h1>\n<p>Same</p>`);

/** A deck with two versions, and its page of versions. */
async function enter(): Promise<Deck> {
  const others = Array.from({ length: 6 }, (_, i) => page(`Page ${i}`, `page-${i}.html`));
  const deck = await stage.world.aPushedDeck(stage.owner, [slides('First'), ...others], 'Quarterly results');
  await aVersion(stage.world, stage.owner, deck.presentationId, [slides('Second'), ...others]);
  await stage.enter(stage.owner, `/decks/${deck.presentationId}/versions`);
  return deck;
}

describeInBrowser('an old version', () => {
  test('opens in a window of its own, without a link and without a view', async () => {
    const deck = await enter();
    const opened = stage.viewer.context.waitForEvent('page');
    await choose('Actions for version 1', 'Open');
    const window = await opened;
    await window.getByRole('heading', { name: 'First' }).waitFor();
    expect(new URL(window.url()).host).toMatch(/^[a-z2-7]{32}\.decks\.localhost/);
    const { totalViews, tokens } = await info(deck);
    expect([totalViews, tokens.length]).toEqual([0, 1]);
  });

  test('is compared side by side: the frames follow each other, and changed lines are shown', async () => {
    const deck = await enter();
    await choose('Actions for version 2', 'Compare with the version before');
    const [older, newer] = ['First', 'Second'].map((name, at) => {
      const frame = stage.page.frameLocator('.side-by-side iframe').nth(at);
      return { frame, heading: frame.getByRole('heading', { name }) };
    });
    await older!.heading.waitFor();
    await newer!.heading.waitFor();
    await older!.frame.getByRole('link', { name: 'Next' }).click();
    const element = await stage.page.locator('.side-by-side iframe').nth(1).elementHandle();
    await (await element.contentFrame())!.waitForURL(/#two$/);
    await text('index.html').click();
    const lines = dialog().locator('.lines');
    await lines.waitFor();
    const marked = async (kind: string) => (await lines.locator(kind).allTextContents()).join('');
    expect(await marked('.removed')).toMatch(/^-[^]*First/);
    expect(await marked('.added')).toMatch(/^\+[^]*Second/);
    expect((await info(deck)).totalViews).toBe(0);
  });
});

describeInBrowser('files for a new version', () => {
  test('that lack most files of the deck are asked about, and the question names them', async () => {
    const deck = await enter();
    await button('Publish a new version').click();
    await stage.choosePage('<h1>Alone</h1>');
    await button('Publish version').waitFor();
    await stage.settle();
    // Who chooses others meanwhile is asked nothing about these, and publishes nothing.
    const [call, asked]: [RegExp, Route[]] = [/\/getPresentationVersion/, []];
    await stage.page.route(call, (route) => void asked.push(route));
    await button('Publish version').click();
    await soon(async () => expect(asked).toHaveLength(1));
    const dropped = stage.page.waitForEvent('requestfailed', (request) => call.test(request.url()));
    await press('Choose other files');
    await dropped;
    await stage.page.unroute(call);
    await stage.choosePage('<h1>Alone</h1>');
    await press('Publish version', text('Publish without 6 of the deck’s 7 files?'));
    await text(/page-0\.html.*and 1 more.*Version 2 keeps them/).waitFor();
    await answer('Cancel');
    expect((await info(deck)).version).toBe(2);
    await press('Publish version');
    await answer('Publish anyway', heading('Version 3 is online'));
  });
});

describeInBrowser('a deck of pages or pictures', () => {
  test('has a slide for each picture of a folder that is dropped, and opens with them', async () => {
    await stage.enter(stage.owner, '/new');
    const pictures = { '2 Tower.png': await aPng(300, 600), '1 Arrival.png': await aPng(1600, 900) };
    await dropOnPage(await onDisk('Trip', pictures));
    expect(await publishAs('Trip')).toEqual([
      ['Arrival', 'Arrival', 640, 360],
      ['Tower', 'Tower', 180, 360],
    ]);
    const opened = stage.viewer.context.waitForEvent('page');
    await stage.page.getByRole('link', { name: 'Open', exact: true }).click();
    const deck = await opened;
    await deck.locator('.shown').getByRole('img', { name: 'Arrival' }).waitFor();
    await deck.keyboard.press('End');
    await deck.locator('.shown').getByRole('img', { name: 'Tower' }).waitFor();
  });
});

describeInBrowser('the pictures of the slides of a deck', () => {
  /** The picture of a slide: a bar, whose left edge is at `left`. */
  const drawn = (key: string, left: number): SentSlide => ({ key, title: key.toUpperCase(), bytes: slide(left) });
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

  test('stand in the list, on its page and in the preview of a mail, until its owner does without them', async () => {
    const deck = await pushed();
    await show(deck, 1, [drawn('intro', 10), drawn('numbers', 200)]);
    await stage.enter(stage.owner, '/decks');
    const card = `.deck-card:has(a[href*="${deck.presentationId}"])`;
    await isShown(`${card} img`);
    await stage.open(`/decks/${deck.presentationId}`);
    await isShown('.poster img');
    await stage.open(`/decks/${deck.presentationId}/mails`);
    await press('Preview');
    const mailed = stage.page.frameLocator('dialog iframe').getByRole('img', { name: 'INTRO' });
    await mailed.waitFor();
    await until(stage.page.frames().at(-1)!, `document.querySelector('img').naturalWidth > 0`);

    await stage.open(`/decks/${deck.presentationId}/settings`);
    const choice = field('Keep a picture of each slide');
    await press(choice, dialog());
    await answer('Cancel');
    await soon(async () => expect(await choice.isChecked()).toBe(true));
    await press(choice, dialog());
    await answer('Delete the pictures', toast('The pictures of the slides are deleted.'));
    await soon(async () =>
      expect([await choice.isChecked(), await info(deck)]).toMatchObject([false, { slidePictures: false }]),
    );
    await stage.open('/decks');
    await stage.page.locator(card).waitFor();
    await soon(async () => expect(await stage.page.locator(`${card} img`).count()).toBe(0));
    await stage.open(`/decks/${deck.presentationId}/settings`);
    await press(choice, toast('The next push draws pictures of the slides.'));
    expect(await info(deck)).toMatchObject({ slidePictures: true });
  });

  test('stand with their titles in a row and beside their figures, are loaded when they can be seen, and are shown larger', async () => {
    const deck = await pushed();
    const keys = Array.from({ length: 20 }, (_, i) => `part-${i}`);
    await stage.enter(stage.owner, `/decks/${deck.presentationId}`);
    await soon(async () => expect(await stage.page.locator('.slide-strip').count()).toBe(0));
    const load = await (await aReader(deck)).load();
    await load.tell({ slideCount: 20, current: keys.at(-1)!, slides: keys.map((key, at) => seenSlide(key, at, 1)) });
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

  test('is found by a slow answer, and a failure stays until there is one or the person tries again', async () => {
    const { presentationId } = await stage.aDeck();
    await stage.call('startLiveSession', { presentationId });
    const [looks, starts]: Route[][] = [[], []];
    await stage.page.route(/\/getLiveSession/, (route) => void looks!.push(route));
    await stage.page.route(/\/startLiveSession/, (route) =>
      starts!.push(route) === 1 ? refuse(route) : route.continue(),
    );
    await stage.page.clock.install();
    await stage.enter(stage.owner, `/decks/${presentationId}`);
    await press('Present live', dialog());
    await soon(async () => expect(looks).toHaveLength(1));
    await refuse(looks![0]!);
    await alert().waitFor();
    await stage.page.clock.fastForward(3000);
    await soon(async () => expect(looks).toHaveLength(2));
    await soon(async () => expect(await alert().count()).toBe(1));
    await stage.page.clock.fastForward(3000);
    await looks![1]!.continue();
    await soon(async () => expect(starts).toHaveLength(1));
    await press('Try again', text('No page presents yet.'));
  });
});

describeInBrowser('a service', () => {
  test('that is silent is told after three seconds, and the person can begin anew', async () => {
    const { presentationId } = await stage.world.aPushedDeck(stage.owner, [page()], 'After all');
    const call = /\/getSharedPresentationInfo/;
    let asked = 0;
    await stage.page.route(call, (route) => (++asked === 1 ? undefined : route.continue()));
    await stage.beginSession(await aSession(stage.world, stage.owner, 'Ada', 'Engines'));
    await stage.page.clock.install();
    await stage.page.goto(stage.address(`/decks/${presentationId}`));
    await soon(async () => expect(asked).toBe(1));
    await stage.page.clock.fastForward(3000);
    await text('The service has not answered yet.').waitFor();
    await press('Try again', heading('After all', 1));
    await text('The service has not answered yet.').waitFor({ state: 'hidden' });
  });
});

const css = (path: string, content: string) => ({
  path,
  contentType: 'text/css; charset=utf-8',
  bytes: Buffer.from(content),
});
const png = async (path: string, width: number, height = 20) => ({
  path,
  contentType: 'image/png',
  bytes: await aPng(width, height),
});

describeInBrowser('the source of a remix', () => {
  test('is compared with the deck, and what only the source changed is taken with one button', async () => {
    const { world, owner } = stage;
    const author = await world.aPublisher();
    const pictures = [await png('picture.png', 20), await png('huge.png', 20)];
    const first = [page('Talk'), css('a.css', 'one\n'), css('both.css', 'one\n'), ...pictures];
    const deck = await world.aPushedDeck(author, first, 'Spring plan');
    const { slug } = await world.aListing(author, {}, deck);
    const made = await succeed(world.call<Deck>('remixMarketplaceListing', { slug }, { key: owner.key }));
    const mine = [page('Talk'), first[1]!, css('both.css', 'mine\n'), ...pictures];
    await aVersion(world, owner, made.presentationId, mine);
    const next = [page('Talk'), css('a.css', 'two\n'), css('both.css', 'theirs\n'), await png('picture.png', 40)];
    const huge = await png('huge.png', 4001, 4000);
    await aVersion(world, author, deck.presentationId, [...next, huge, css('new.css', 'new\n')]);
    await succeed(world.call('updateMarketplaceListing', { slug, version: 2 }, { key: author.key }));

    await stage.enter(owner, `/decks/${made.presentationId}`);
    await link('Source').click();
    await heading('5 files changed in the source since your copy').waitFor();
    await text('a.css').click();
    await stage.page.locator('.lines .added').getByText('+two').waitFor();
    await text('picture.png').click();
    await stage.page.getByRole('img', { name: 'In the source' }).waitFor();
    await text('huge.png').click();
    await stage.page.getByRole('img', { name: 'Before' }).nth(1).waitFor();
    await stage.page.locator('figure > p').waitFor();
    await soon(async () => expect(await stage.page.getByRole('img', { name: 'In the source' }).count()).toBe(1));
    await text('deck remix --update').first().waitFor();
    await stage.expectTidy();
    await aVersion(world, owner, made.presentationId, mine);
    await press('Take 4 files', alert().getByText('Somebody else has changed this in the meantime.'));
    await press('Take 4 files', toast('Your deck has version 4'));
    await heading('1 file changed in the source since your copy').waitFor();

    const dev = await world.anOwner();
    await world.addMember(made, dev);
    await stage.enter(dev, `/decks/${made.presentationId}`);
    await link('Source').click();
    await heading('1 file changed in the source since your copy').waitFor();

    await succeed(world.call('updateMarketplaceListing', { slug, status: 'unlisted' }, { key: author.key }));
    await stage.page.reload();
    await heading('The source is not public any more').waitFor();
  });
});

describeInBrowser('the page that makes a remix', () => {
  test('shows what is copied and the picture of the listing, whatever its texts are', async () => {
    const evil = `<img src=x onerror="top.hit=1"> ‮${'W'.repeat(200)}\u202c`;
    const many = Array.from({ length: 60 }, (_, i) => page('x', `${'w'.repeat(150)}/${i + 100}.html`));
    const deck = await stage.aDeck([page(), file('thumbnail.png', PNG), ...many]);
    const { slug } = await stage.world.aListing(stage.owner, { title: evil, description: evil }, deck);
    await makePictures();
    await stage.enter(await stage.world.anOwner(), `/remix/${slug}`);
    await soon(async () => expect(await stage.page.getByRole('heading', { level: 2 }).textContent()).toBe(evil));
    await until(stage.page, `document.querySelector('.source img.picture').naturalWidth === 1`);
    await text('The files that are copied').click();
    for (const said of ['and 12 more', 'Version 1, 62 files', 'The copy contains the author’s scripts.'])
      await text(said).waitFor();
    expect(await stage.page.evaluate('window.hit')).toBeUndefined();
    await press('Remix', toast('The remix is now one of your decks.'));
    const listing = () => stage.read('getMarketplaceListing', { slug });
    await soon(async () => expect(await listing()).toMatchObject({ remixCount: 1 }));
  });

  test('says that a listing is not public, and that there is none', async () => {
    const { slug } = await stage.world.aListing(stage.owner);
    await stage.call('updateMarketplaceListing', { slug, status: 'unlisted' });
    await stage.enter(await stage.world.anOwner(), `/remix/${slug}`);
    await text('This listing is not public.').waitFor();
    await soon(async () => expect(await button('Remix', true).count()).toBe(0));
    await stage.open('/remix/none-such-listing');
    await stage.alert().getByText('This does not exist').waitFor();
    await stage.link('Browse the marketplace').waitFor();
  });
});
