import type { Browser } from 'playwright-core';
import { blob, type Deck, type DeckFile } from '../support/world';
import { describeInBrowser, launch, until, Viewer, windowedPath } from './browser';
import { colourOf, paperIn } from './colour';
import { FILM, MB, SECOND } from './decks';
import { handmadeOn } from './handmade';
import { proveLiveByAddress } from './live-in-frames';
import { provePdfShareDetails } from './pdf-share';
import { proveLinks } from './runtime';
import { html } from './small-decks';
import { Stage } from './stage';

/** Decks in frames: large files, colours, the focus of several windows, every kind of link, and details of PDFs. */

process.env['LIVE_BEAT_MS'] = '50';

const stage = new Stage({ platformLimits: true, deckOrigin: false });
const aDeck = (body: string, ...more: DeckFile[]): Promise<Deck> => stage.aDeck([html(body), ...more]);

describeInBrowser('a deck in its sandbox', () => {
  const handmade = handmadeOn(stage);

  /** The ranges in which the film came. */
  const rangesOfFilm = () => {
    const parts = stage.viewer.answers.filter(({ url }) => url.endsWith('film.wav'));
    expect([...new Set(parts.map(({ status }) => status))]).toEqual([206]);
    return parts.map(({ contentRange = '' }) => contentRange);
  };

  test('plays a film beyond its first partial answer, and seeks to its end without loading the bytes between', async () => {
    const frame = await handmade.open();
    const end = await frame.evaluate<number>(`(async () => {
      const film = document.querySelector('#film');
      film.currentTime = film.duration - 1;
      await film.play();
      await new Promise((resolve) => film.addEventListener('ended', resolve));
      return film.currentTime;
    })()`);
    expect(Math.round(end)).toBe(Math.round((FILM - 44) / SECOND));
    const starts = rangesOfFilm().map((range) => Number(/bytes (\d+)-/.exec(range)?.[1]));
    // This request came from the player. The deck's own script requests the last ten bytes and bytes in the middle.
    expect(starts.filter((start) => start > FILM - MB && start < FILM - 10)).not.toEqual([]);
    // One answer has at most 10 MB, which are about 59 seconds of this film.
    const seconds = (10 * MB) / SECOND;
    const crossed = await frame.evaluate(`(async () => {
      const film = document.querySelector('#film');
      film.currentTime = ${seconds - 0.5};
      film.playbackRate = 4;
      await film.play();
      await new Promise((resolve, reject) => {
        film.addEventListener('error', () => reject(film.error));
        film.addEventListener('timeupdate', () => film.currentTime > ${seconds + 0.5} && resolve());
      });
      return true;
    })()`);
    expect(crossed).toBe(true);
    expect(rangesOfFilm()).toContain(`bytes 0-${10 * MB - 1}/${FILM}`);
    expect(stage.troubles).toEqual([]);
  });

  test('reads the whole of a file that is served by the bucket', async () => {
    const { shareUrl } = await stage.aDeck([html('<title>Large</title>'), blob(12 * MB, 'data.bin')]);
    const frame = await stage.viewer.open(shareUrl);
    const read = `fetch('data.bin').then((response) => response.arrayBuffer()).then((bytes) => bytes.byteLength)`;
    expect(await frame.evaluate(read)).toBe(12 * MB);
    const answers = stage.viewer.answers.filter(({ url }) => url.includes('data.bin'));
    expect(answers.map(({ status }) => status)).toEqual([302]);
    expect(stage.troubles).toEqual([]);
  });
});

describeInBrowser('the share page', () => {
  test("shows a deck in its own colours, or in the browser's default ones, and an error in those of the house", async () => {
    for (const [colorScheme, both] of [
      ['light', '255,255,255'],
      ['dark', '18,18,18'],
    ] as const) {
      await stage.arrive({ colorScheme });
      for (const [body, colour] of [
        ['<p>Text', '255,255,255'],
        ['<body style="background: rgb(1, 2, 3)">', '1,2,3'],
        ['<style>:root { color-scheme: light dark }</style><p>Text', both],
      ] as const) {
        await stage.page.goto((await aDeck(body)).shareUrl);
        expect([body, await colourOf(stage.page)]).toEqual([body, colour]);
      }
      expect((await stage.page.goto((await aDeck('')).shareUrl.slice(0, -1)))!.status()).toBe(404);
      await stage.text('This link does not open a presentation').waitFor();
      expect(await colourOf(stage.page)).toBe(paperIn(colorScheme));
    }
  });
});

describeInBrowser('the keyboard on the share page', () => {
  /** A page that records the keys that it receives. */
  const listening = `<script>keys = []; addEventListener('keydown', ({ key }) => keys.push(key));</script>`;
  let windowed: Browser | undefined;
  afterAll(() => windowed?.close());

  (windowedPath ? test : test.skip)(
    "belongs to the deck again after another window had the focus, and on the deck's next page",
    async () => {
      windowed = await launch([], windowedPath);
      const viewer = await Viewer.arrive(windowed);
      const deck = await aDeck(`${listening}<a href="next.html">Next</a>`, html(listening, 'next.html'));
      const frame = await viewer.openForKeys(deck.shareUrl);
      await until(frame, 'window.keys');
      // Without this, the browser under test reports focus for every window.
      const session = await viewer.context.newCDPSession(viewer.page);
      await session.send('Emulation.setFocusEmulationEnabled', { enabled: false });
      const other = await viewer.context.newPage();
      await other.bringToFront();
      await until(frame, '!document.hasFocus()');
      await viewer.page.bringToFront();
      await until(frame, 'document.hasFocus()');
      await viewer.page.keyboard.press('ArrowRight');
      expect(await frame.evaluate('keys')).toEqual(['ArrowRight']);

      // The page around the deck has no focusable content, so it passes its focus on to the deck.
      await viewer.page.evaluate('document.activeElement.blur(); focus()');
      await until(frame, 'document.hasFocus()');
      await viewer.page.keyboard.press('ArrowLeft');
      expect(await frame.evaluate('keys')).toEqual(['ArrowRight', 'ArrowLeft']);

      await frame.click('a');
      await frame.waitForURL('**/next.html');
      await until(frame, 'document.hasFocus() && window.keys');
      await viewer.page.keyboard.press('End');
      expect(await frame.evaluate('keys')).toEqual(['End']);
    },
  );
});

proveLinks(stage);
provePdfShareDetails(stage);
proveLiveByAddress(stage);
