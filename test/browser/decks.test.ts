import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { each } from '../support/each';
import { describeInBrowser, until } from './browser';
import { colourOf } from './colour';
import { buildClient, push, type Pushed } from './client';
import { FILM, handmadeDeck, MB, revealDeck } from './decks';
import { Stage } from './stage';

const stage = new Stage({ deckOrigin: false });
let folder: string;
const decks: Record<string, Pushed> = {};

describeInBrowser('decks in a browser', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'decks-in-browser-'));
    await buildClient();
    for (const [name, files] of Object.entries({ reveal: await revealDeck(), handmade: await handmadeDeck() })) {
      decks[name] = await push(stage.world, stage.owner, join(folder, name), files);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('a reveal.js deck runs: keyboard, plugins and fonts work, and no request is refused', async () => {
    const frame = await stage.viewer.openForKeys(decks['reveal']!.shareUrl);
    await until(frame, 'window.Reveal?.isReady()');
    const place = () => frame.evaluate<unknown>('Object.values(Reveal.getIndices()).slice(0, 2)');
    expect(await place()).toEqual([0, 0]);
    await stage.viewer.page.keyboard.press('ArrowRight');
    expect(await place()).toEqual([1, 0]);
    expect(await frame.evaluate('self.origin')).toBe('null');
    expect(await stage.viewer.page.title()).toBe('Reveal & friends');

    // The fragment of the second slide, then the slides with code, inline Markdown and the Markdown file.
    for (const key of ['Space', 'Space', 'Space', 'Space']) await stage.viewer.page.keyboard.press(key);
    expect(await place()).toEqual([4, 0]);
    const shown = await frame.evaluate<Record<string, unknown>>(`({
      code: !!document.querySelector('code.hljs .hljs-keyword'),
      inPage: document.querySelectorAll('section')[3].querySelector('h2 em').textContent,
      fromFile: document.querySelector('section.present h2').textContent,
      fonts: document.fonts.check('20px "Source Sans Pro"'),
      notes: Reveal.getSlideNotes(Reveal.getSlide(0)),
    })`);
    expect(shown).toEqual({ code: true, inPage: 'page', fromFile: 'From a file', fonts: true, notes: 'Say hello.' });
    expect(stage.viewer.troubles).toEqual([]);
  });

  test.each(['the share page', 'its own address'])(
    'a hand-written deck with its entry in a folder runs through %s, with all of its files',
    async (way) => {
      const deck = decks['handmade']!;
      const frame = await stage.viewer.openForKeys(
        way === 'the share page' ? deck.shareUrl : stage.world.viewUrl(deck, deck.entryPath),
      );
      await until(frame, 'window.outcome?.done');
      await stage.viewer.page.keyboard.press('ArrowRight');
      expect(await frame.evaluate('window.outcome')).toEqual({
        slide: 1,
        imported: true,
        odd: 'a+b',
        data: { sure: true },
        text: 'Grüße',
        font: 'loaded',
        worker: 42,
        lastBytes: { status: 206, contentRange: `bytes ${FILM - 10}-${FILM - 1}/${FILM}`, length: 10 },
        middleBytes: { status: 206, contentRange: `bytes 8000000-8999999/${FILM}`, length: 1_000_000 },
        image: 20,
        done: true,
      });
      expect(stage.viewer.troubles).toEqual([]);
    },
  );

  test('SVG is painted as an image, inline, as an object and in a frame; its script has an opaque origin', async () => {
    const frame = await stage.viewer.openForKeys(decks['handmade']!.shareUrl);
    await until(frame, 'window.outcome?.done');
    expect(await frame.evaluate('document.querySelector("#inline").getBBox().width')).toBe(20);
    const nested = frame.childFrames();
    expect(nested.map((each) => each.url().split('/').at(-1)).sort()).toEqual(['frame.svg', 'object.svg']);
    for (const frame of each(nested)) expect(await frame.evaluate('document.documentElement.localName')).toBe('svg');
    const framed = nested.find((each) => each.url().endsWith('frame.svg'))!;
    expect(await framed.evaluate('document.documentElement.dataset.ran')).toBe('null');
    // The painted colours are those of the files.
    expect(await colourOf(frame.locator('#image'))).toBe('255,0,0');
    expect(await colourOf(frame.locator('#object'))).toBe('0,128,0');
    expect(await colourOf(frame.locator('#frame'))).toBe('0,0,255');
    expect(await colourOf(frame.locator('#background'))).toBe('128,128,0');
    expect(stage.viewer.troubles).toEqual([]);
  });

  test('a film plays, and seeks to its end without loading the bytes between', async () => {
    const frame = await stage.viewer.openForKeys(decks['handmade']!.shareUrl);
    await until(frame, 'window.outcome?.done');
    const end = await frame.evaluate<number>(`(async () => {
      const film = document.querySelector('#film');
      film.currentTime = film.duration - 1;
      await film.play();
      await new Promise((resolve) => film.addEventListener('ended', resolve));
      return film.currentTime;
    })()`);
    expect(Math.round(end)).toBe(Math.round((FILM - 44) / (44_100 * 4)));
    const parts = stage.viewer.answers.filter(({ url }) => url.endsWith('film.wav'));
    expect([...new Set(parts.map(({ status }) => status))]).toEqual([206]);
    const starts = parts.map(({ contentRange }) => Number(/bytes (\d+)-/.exec(contentRange ?? '')?.[1]));
    // This request came from the player. The deck's own script requests the last ten bytes and bytes in the middle.
    expect(starts.filter((start) => start > FILM - MB && start < FILM - 10)).not.toEqual([]);
    expect(stage.viewer.troubles).toEqual([]);
  });
});
