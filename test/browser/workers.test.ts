import { describeInBrowser, until } from './browser';
import { html, js, json } from './small-decks';
import { Stage } from './stage';

const stage = new Stage({ deckOrigin: false });

/** Reads its data in every way, and echoes messages. */
const reading = `
const xhr = new Promise((resolve) => {
  const request = new XMLHttpRequest();
  request.open('GET', 'data.json');
  request.onload = () => resolve(request.response);
  request.send();
});
const json = (input) => fetch(input).then((response) => response.json());
const all = () => Promise.all([json('data.json'), json(new URL('data.json', self.location)), json(new Request('./data.json')),
  xhr, self.location.pathname.split('/').at(-1), self.name]);
onmessage = async ({ data }) => postMessage([data, helped, await all()]);
`;
const files = [
  js('work/classic.js', `importScripts('helper.js', './again.js');${reading}`),
  js('work/module.mjs', `import { helped } from './helper.mjs';${reading}`),
  js('work/helper.js', `self.helped = 'by a script';`),
  js('work/again.js', `self.helped += ' and another';`),
  js('work/helper.mjs', `export const helped = 'by ' + (await import('./late.mjs')).default;`),
  js('work/late.mjs', `export default import.meta.url.split('/').at(-1);`),
  js('work/outer.js', `new Worker('inner.js').onmessage = ({ data }) => postMessage(['outer', data]);`),
  js('work/inner.js', `postMessage('inner of ' + self.location.pathname.split('/').at(-1));`),
  js('work/broken.js', `throw new Error('broken');`),
  js('work/broken.mjs', `await 0; throw new Error('broken');`),
  json('work/data.json', '{"answer":42}'),
];
const answerOf = `window.answerOf = (worker, message) => new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = (event) => { event.preventDefault(); reject(new Error('The worker failed.')); };
  if (message !== undefined) worker.postMessage(message);
})`;
const read = [{ answer: 42 }, { answer: 42 }, { answer: 42 }, '{"answer":42}'];

describeInBrowser('workers of a deck in a frame', () => {
  const openDeck = async () => {
    const deck = await stage.world.aDeck(stage.owner, [html(`<script>${answerOf}</script>`), ...files]);
    const frame = await stage.viewer.open(deck.shareUrl);
    await until(frame, '!!window.answerOf');
    return frame;
  };

  test.each([
    [
      'a classic one',
      `new Worker('work/classic.js', { name: 'mine' })`,
      'by a script and another',
      'classic.js',
      'mine',
    ],
    [
      'one by a URL',
      `new Worker(new URL('work/classic.js', document.baseURI))`,
      'by a script and another',
      'classic.js',
      '',
    ],
    ['a module', `new Worker('./work/module.mjs', { type: 'module', name: 'm' })`, 'by late.mjs', 'module.mjs', 'm'],
  ])('%s runs with its imports and its data', async (_name, made, helped, path, name) => {
    const frame = await openDeck();
    const answer = await frame.evaluate(`answerOf(${made}, { deep: [1] })`);
    expect(answer).toEqual([{ deep: [1] }, helped, [...read, path, name]]);
    expect(stage.viewer.troubles).toEqual([]);
  });

  test('one of a worker runs, and one of a blob runs as before', async () => {
    const frame = await openDeck();
    expect(await frame.evaluate(`answerOf(new Worker('work/outer.js'))`)).toEqual(['outer', 'inner of inner.js']);
    const blob = `URL.createObjectURL(new Blob(['postMessage(6 * 7)']))`;
    expect(await frame.evaluate(`answerOf(new Worker(${blob}))`)).toBe(42);
    expect(stage.viewer.troubles).toEqual([]);
  });

  test.each(['work/broken.js', 'work/broken.mjs', 'work/absent.js', 'work/absent.mjs'])(
    '%s reports its error to the deck',
    async (path) => {
      const frame = await openDeck();
      const type = path.endsWith('.mjs') ? 'module' : 'classic';
      const failed = `answerOf(new Worker('${path}', { type: '${type}' }), 1).catch((error) => error.message)`;
      expect(await frame.evaluate(failed)).toBe('The worker failed.');
    },
  );

  test('the constructor is that of the browser, and throws as it does', async () => {
    const frame = await openDeck();
    const seen = await frame.evaluate(`(() => {
      const fails = (act) => { try { act(); return 'done'; } catch (error) { return error.name; } };
      class Mine extends Worker {}
      const mine = new Mine('work/inner.js');
      return [Worker.name, Worker.length, mine instanceof Mine, mine instanceof Worker, new Worker('work/inner.js') instanceof Worker,
        fails(() => Worker('work/inner.js')), fails(() => new Worker('http://[')), fails(() => new Worker()),
        fails(() => new Worker('https://elsewhere.example/worker.js'))];
    })()`);
    expect(seen).toEqual([
      ...['Worker', 1, true, true, true],
      ...['TypeError', 'SyntaxError', 'TypeError', 'SecurityError'],
    ]);
  });
});
