import type { Browser } from 'playwright-core';
import { blob, page, World, type Deck } from '../support/world';
import { describeInBrowser, launch, Viewer } from './browser';
import { film, MB } from './decks';

let world: World;
let browser: Browser;
let viewer: Viewer;
let deck: Deck;

const entry = `<!doctype html><title>Large</title><video src="film.wav" muted></video>`;

describeInBrowser("files above the platform's limit, in a browser", () => {
  beforeAll(async () => {
    [world, browser] = await Promise.all([World.start({ platformLimits: true, deckOrigin: false }), launch()]);
    deck = await world.aDeck(await world.anOwner(), [
      { ...page(), bytes: Buffer.from(entry) },
      { path: 'film.wav', bytes: film(24 * MB), contentType: 'audio/wav' },
      blob(12 * MB, 'data.bin'),
    ]);
    viewer = await Viewer.arrive(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
  });

  test('a film plays beyond its first partial answer, and seeks', async () => {
    const frame = await viewer.open(deck.shareUrl);
    // One answer has at most 10 MB, which are about 59 seconds of this film.
    const seconds = (10 * MB) / (44_100 * 4);
    const reached = await frame.evaluate<[number, boolean]>(`(async () => {
      const film = document.querySelector('video');
      if (film.readyState < 1) await new Promise((resolve) => film.addEventListener('loadedmetadata', resolve));
      film.currentTime = ${seconds - 0.5};
      film.playbackRate = 4;
      await film.play();
      await new Promise((resolve, reject) => {
        film.addEventListener('error', () => reject(film.error));
        film.addEventListener('timeupdate', () => film.currentTime > ${seconds + 0.5} && resolve());
      });
      const crossed = film.currentTime;
      film.currentTime = film.duration - 0.5;
      await new Promise((resolve) => film.addEventListener('ended', resolve));
      return [crossed, film.ended];
    })()`);
    expect(reached).toEqual([expect.any(Number), true]);
    const parts = viewer.answers.filter(({ url }) => url.endsWith('film.wav'));
    expect(parts[0]!.contentRange).toBe(`bytes 0-${10 * MB - 1}/${24 * MB}`);
    expect([...new Set(parts.map(({ status }) => status))]).toEqual([206]);
    expect(viewer.troubles).toEqual([]);
  });

  test('a script reads the whole of a file that is served by the bucket', async () => {
    const frame = await viewer.open(deck.shareUrl);
    const length = await frame.evaluate(
      `fetch('data.bin').then((response) => response.arrayBuffer()).then((bytes) => bytes.byteLength)`,
    );
    expect(length).toBe(12 * MB);
    expect(viewer.answers.filter(({ url }) => url.includes('data.bin')).map(({ status }) => status)).toEqual([302]);
    expect(viewer.troubles).toEqual([]);
  });
});
