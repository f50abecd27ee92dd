import { describeInBrowser } from './browser';
import { reader, startReaders } from './reader';
import { revealDeck, revealFile } from './small-decks';

startReaders();

/** A script that changes the slide at each arrow. `show` uses `n`, which counts from 0. */
const onArrows = (show: string) => `<script>
  let n = 0;
  const show = () => { ${show} };
  addEventListener('keydown', ({ key }) => { n += { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0; show(); });
  show();
</script>`;

/** Looks at the first slide until second 12, 5 seconds at the second one, and goes on to the third. */
async function readThree(): Promise<void> {
  await reader.passUntil(12);
  await reader.press('ArrowRight');
  await reader.pass(5);
  await reader.press('ArrowRight');
}

describeInBrowser('the slide that is shown', () => {
  test('is the number in the hash; a page without a hash shows the first one', async () => {
    await reader.open(
      `<title>Deck</title><h1>One</h1>${onArrows(`
        if (n) location.hash = '#/' + (n + 1);
        setTimeout(() => { document.querySelector('h1').textContent = ['One', 'Two', 'Three'][n]; }, 300);`)}`,
    );
    await readThree();
    await reader.pass(1);
    const { slides, current, slideCount } = await reader.known();
    expect([slideCount, current]).toEqual([null, '#3']);
    expect(slides).toEqual([
      ['#1', 'Deck', 0, 12, 1],
      ['#2', 'Two', 1, 5, 1],
      ['#3', 'Three', 2, 1, 1],
    ]);
  });

  test.each(['display: none', 'opacity: 0', 'visibility: hidden'])('is the only section without `%s`', async (hide) => {
    await reader.open(
      `<style>section { position: absolute; inset: 0; ${hide} } .on { display: block; opacity: 1; visibility: visible }
        </style><section><h2>One</section><section><h2>Two</section><section><h2>Three</section>
        ${onArrows(`document.querySelectorAll('section').forEach((each, i) => each.classList.toggle('on', i === n));
        location.hash = n + 1;`)}`,
    );
    await readThree();
    expect(await reader.known()).toMatchObject({
      slideCount: 3,
      current: 'Three',
      slides: [
        ['One', 'One', 0, 12, 1],
        ['Two', 'Two', 1, 5, 1],
        ['Three', 'Three', 2, 0, 1],
      ],
    });
  });

  test('is the section in view of which most is seen, after the scrolling', async () => {
    await reader.open(
      `<style>section { height: 100vh }</style><section><i>First</i> <b>line</b><br>more</section><section id="two"><h2>Two</section>
      <section></section><section><h2>Four</section>${onArrows(`scrollTo(0, [0, 350, 650, 1900][n] )`)}`,
    );
    await readThree();
    await reader.press('ArrowRight');
    await reader.pass(2);
    expect(await reader.known()).toMatchObject({
      slideCount: 4,
      current: 'Four',
      slides: [
        ['First line', 'First line', 0, 12, 1],
        ['#two', 'Two', 1, 5, 1],
        ['Four', 'Four', 3, 2, 1],
      ],
    });
  });

  test('is the page when it has neither a hash nor sections', async () => {
    await reader.open(`<title>Page</title>${onArrows('document.title = `Page ${n}`')}`);
    await readThree();
    expect(await reader.known()).toMatchObject({ slideCount: 1, current: '#1', slides: [['#1', 'Page 2', 0, 17, 1]] });
  });

  test('is what the deck tells, whatever else the page shows', async () => {
    const detail = `{ key: 'slide ' + n, title: '  Slide\\n\\u202e' + n, index: n, count: 9 }`;
    await reader.open(
      `<section>One</section><section>Two</section>
      ${onArrows(`document.dispatchEvent(new CustomEvent('deck:slide', { detail: ${detail} })); location.hash = n;`)}`,
    );
    await readThree();
    expect(await reader.known()).toMatchObject({
      slideCount: 9,
      current: 'slide 2',
      slides: [
        ['slide 0', 'Slide 0', 0, 12, 1],
        ['slide 1', 'Slide 1', 1, 5, 1],
        ['slide 2', 'Slide 2', 2, 0, 1],
      ],
    });
  });

  test('of reveal.js may be in a column, and a fragment is a sign of its reader', async () => {
    await reader.serve('/reveal.js', await revealFile('reveal.js'));
    await reader.open(revealDeck);
    await reader.passUntil(12);
    await reader.press('ArrowRight');
    await reader.pass(3);
    await reader.press('ArrowDown');
    await reader.pass(50);
    await reader.page.evaluate('Reveal.next()');
    await reader.pass(50);
    await reader.page.evaluate('Reveal.slide(2)');
    await reader.pass(1);
    expect(await reader.known()).toMatchObject({
      slideCount: 4,
      current: '#4',
      slides: [
        ['#start', 'One', 0, 12, 1],
        ['Down', 'Down', 1, 3, 1],
        ['Down #2', 'Down', 2, 100, 1],
        ['#4', '', 3, 1, 1],
      ],
    });
  });

  test('is known from its tool also when the tool starts late, and what was guessed before is forgotten', async () => {
    await reader.open(
      `<div id="impress"><section class="step"><h2>One</section><section class="step" id="step-2"><h2>Two</section></div>
      <script>setTimeout(() => document.querySelector('#step-2').classList.add('active'), 3000)</script>`,
    );
    // The page is read as any page by now.
    await reader.passUntil(2);
    await reader.press('a');
    await reader.passUntil(12);
    expect(await reader.known()).toMatchObject({ sequence: 2, slideCount: 2, slides: [['Two', 'Two', 1, 12, 1]] });
    expect(reader.beacons[0]).toMatchObject({ slides: [], current: null, slideCount: null });
  });

  test('is counted once when the tool shows the slide that was guessed', async () => {
    await reader.open(
      `<div id="impress"><section class="step"><h2>One</section><section class="step"><h2>Two</section></div>
      <script>setTimeout(() => document.querySelector('.step').classList.add('active'), 3000)</script>`,
    );
    await reader.passUntil(12);
    expect(await reader.known()).toMatchObject({ current: 'One', slides: [['One', 'One', 0, 12, 1]] });
  });
});

describeInBrowser('a deck that is not usual', () => {
  test('keeps its events, and throws nothing, whatever it does', async () => {
    await reader.open(
      `<section>One</section><section>Two</section><script>
        heard = [];
        for (const name of ['keydown', 'pointerdown', 'wheel', 'scroll', 'hashchange', 'deck:slide'])
          addEventListener(name, (event) => heard.push([name, event.defaultPrevented, event.cancelable]), { capture: true, passive: false });
        const tell = (detail) => dispatchEvent(new CustomEvent('deck:slide', { detail }));
        [null, 7, {}, { index: -1 }, { index: 1.5 }, { index: '1' }, { index: 1e400 }].forEach(tell);
        tell({ get index() { throw new Error('hostile'); } });
        document.querySelector = () => { throw new Error('hostile'); };
        document.getElementById = null;
        for (const each of [Object, Array, String, Map, Set, EventTarget, Node, Element]) Object.freeze(each.prototype);
        Element.prototype.matches = MutationObserver = fetch = crypto = null;
      </script>`,
      { path: '/#%E0%A4%A' },
    );
    await reader.pass(12);
    await reader.press('a');
    await reader.page.mouse.click(10, 10);
    await reader.page.mouse.wheel(0, 10);
    await reader.page.evaluate(`location.hash = '#b'`);
    await reader.pass(1);
    const heard = await reader.page.evaluate<unknown[]>('heard');
    expect(heard.slice(8)).toEqual(
      expect.arrayContaining([
        ['keydown', false, true],
        ['pointerdown', false, true],
        ['wheel', false, true],
        ['hashchange', false, false],
      ]),
    );
  });
});
