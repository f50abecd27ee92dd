import { blob, type Deck } from '../support/world';
import { describeInBrowser } from './browser';
import { film, MB } from './decks';
import { html } from './small-decks';
import { Stage } from './stage';

const stage = new Stage({ platformLimits: true, deckOrigin: false });
let deck: Deck;

describeInBrowser("files above the platform's limit, in a browser", () => {
  beforeAll(async () => {
    deck = await stage.world.aDeck(stage.owner, [
      html('<title>Large</title><video src="film.wav" muted></video>'),
      { path: 'film.wav', bytes: film(24 * MB), contentType: 'audio/wav' },
      blob(12 * MB, 'data.bin'),
    ]);
  });

  test('a film plays beyond its first partial answer, and seeks', async () => {
    const frame = await stage.viewer.open(deck.shareUrl);
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
    const parts = stage.viewer.answers.filter(({ url }) => url.endsWith('film.wav'));
    expect(parts[0]!.contentRange).toBe(`bytes 0-${10 * MB - 1}/${24 * MB}`);
    expect([...new Set(parts.map(({ status }) => status))]).toEqual([206]);
    expect(stage.viewer.troubles).toEqual([]);
  });

  test('a script reads the whole of a file that is served by the bucket', async () => {
    const frame = await stage.viewer.open(deck.shareUrl);
    const length = await frame.evaluate(
      `fetch('data.bin').then((response) => response.arrayBuffer()).then((bytes) => bytes.byteLength)`,
    );
    expect(length).toBe(12 * MB);
    expect(stage.viewer.answers.filter(({ url }) => url.includes('data.bin')).map(({ status }) => status)).toEqual([
      302,
    ]);
    expect(stage.viewer.troubles).toEqual([]);
  });
});
