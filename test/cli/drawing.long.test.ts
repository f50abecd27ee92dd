import { describeInBrowser } from '../browser/browser';
import { aFolder, draw, expectKeys, onArrows, withBrowserProgram } from './drawn-decks';

/** More ways in which a deck shows its slides. `drawing.test.ts` has reveal.js. */

withBrowserProgram();

/** Tells which of so many slides the deck shows. */
const tell = (count: number) =>
  `dispatchEvent(new CustomEvent('deck:slide', { detail: { key: 'k' + n, title: 'T' + n, index: n, count: ${count} } }));`;

describeInBrowser('the slides that a push draws', () => {
  test('of a deck that asks to be isolated have shared memory', async () => {
    const headers = ['Cross-Origin-Opener-Policy: same-origin', 'Cross-Origin-Embedder-Policy: require-corp'];
    const script = '<script>document.title = new SharedArrayBuffer(8).byteLength</script><h1>One</h1>';
    const drawn = await draw(await aFolder(script, { _headers: `/*\n${headers.join('\n')}` }), 'document.title');
    expect(drawn.map(({ seen }) => seen)).toEqual(['8']);
  });

  const hidden = `<style>section:not(.on) { display: none }</style>
    <section class="on">One</section><section>Two</section><section>Three</section>`;
  const toggle = `document.querySelectorAll('section').forEach((each, i) => each.classList.toggle('on', i === n));`;

  test.each([
    [
      'sections in a page that scrolls',
      '<style>section { height: 100vh }</style>' +
        '<section>One</section><section id="two">Two</section><section>Three</section>',
      ['One', '#two', 'Three'],
    ],
    ['sections that keys show', hidden + onArrows(toggle), ['One', 'Two', 'Three']],
    [
      'sections that the hash shows',
      `${hidden}<script>onhashchange = () => { const n = location.hash.slice(2) - 1; ${toggle} }; location.hash = '#/1'</script>`,
      ['One', 'Two', 'Three'],
    ],
    ['a page without slides', '<title>Page</title><p>Text', ['#1']],
  ])('are %s', (_name, html, keys) => expectKeys(html, keys));

  test('are slides that the deck tells, and that keys show', async () => {
    await expectKeys(`<h1>Deck</h1>${onArrows(tell(3))}`, ['k0', 'k1', 'k2']);
  });

  test('show the end of an animation', async () => {
    const html = `<style>@keyframes fade { from { opacity: 0 } } p { animation: fade 1000s }</style><p>Text`;
    const [slide] = await draw(await aFolder(html), `getComputedStyle(document.querySelector('p')).opacity`);
    expect(slide?.seen).toBe('1');
  });

  test('are drawn at rest, also where a frame takes long', async () => {
    const moveInFrames = `
      document.body.textContent = '';
      const wait = (frames) => frames ? requestAnimationFrame(() => wait(frames - 1)) : document.body.append('At rest');
      wait(5);`;
    const slowFrames = 'requestAnimationFrame = (callback) => setTimeout(() => callback(performance.now()), 100);';
    const html = `<body><script>${slowFrames}</script>${onArrows(tell(2) + moveInFrames)}`;
    const drawn = await draw(await aFolder(html), 'document.body.textContent');
    expect(drawn.map(({ seen }) => seen)).toEqual(['At rest', 'At rest']);
  });
});
