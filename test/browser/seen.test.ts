import { framed, linked, outer } from '../../functions/runtime/bundle.cjs';
import { describeInBrowser } from './browser';
import { reader, startReaders } from './reader';

startReaders();

const page = '<title>Page</title>';
/** Tells a slide. */
const tell = (index: number) =>
  reader.page.evaluate(
    `dispatchEvent(new CustomEvent('deck:slide', { detail: { index: ${index}, title: 'Slide ${index}' } }))`,
  );
const seconds = async () => (await reader.known()).seconds;

describeInBrowser('the seconds of a reader', () => {
  test('do not count while the window is hidden', async () => {
    await reader.open(page);
    await reader.pass(20);
    await reader.setHidden(true);
    await reader.pass(500);
    await reader.setHidden(false);
    await reader.pass(7);
    const { seconds: all, slides } = await reader.known();
    expect([all, slides]).toEqual([27, [['#1', 'Page', 0, 27, 1]]]);
  });

  test('of a window that opens hidden start when it is shown', async () => {
    await reader.context.addInitScript(
      `Object.defineProperty(document, 'hidden', { value: true, configurable: true })`,
    );
    await reader.open(page);
    await reader.pass(100);
    expect(reader.beacons).toEqual([]);
    await reader.setHidden(false);
    await reader.pass(15);
    expect(await seconds()).toBe(15);
  });

  test('stop 60 seconds after the last input, and go on with the next one', async () => {
    await reader.open(page);
    await reader.passUntil(30);
    await reader.press('a');
    await reader.pass(300);
    await reader.page.mouse.move(100, 100);
    await reader.pass(10);
    expect(await seconds()).toBe(100);
  });

  test('stop 60 seconds after the last change of the slide', async () => {
    await reader.open(page);
    await tell(0);
    await reader.pass(50);
    await tell(1);
    await reader.pass(50);
    await tell(1);
    await reader.pass(300);
    await tell(2);
    await reader.pass(5);
    const { slides } = await reader.known();
    expect(slides.map(([key, , , of]) => [key, of])).toEqual([
      ['Slide 0', 50],
      ['Slide 1', 60],
      ['Slide 2', 5],
    ]);
  });

  test('do not go on because a page changes its title', async () => {
    await reader.open(`${page}<script>setInterval(() => { document.title += '.' }, 10000)</script>`);
    await reader.pass(301);
    expect((await reader.known()).slides).toEqual([['#1', `Page${'.'.repeat(30)}`, 0, 60, 1]]);
  });

  test('do not count the input of scripts', async () => {
    await reader.open(page);
    await reader.passUntil(30);
    await reader.page.evaluate(`for (const name of ['keydown', 'pointermove']) dispatchEvent(new Event(name))`);
    await reader.pass(300);
    expect(await reader.known()).toMatchObject({ seconds: 60, hasInput: false });
  });

  test('count at most one second of the sleep of a computer', async () => {
    await reader.open(page);
    await reader.passUntil(20.2);
    await reader.context.clock.fastForward(2 * 3600_000);
    await reader.press('a');
    await reader.pass(4.9);
    expect(await seconds()).toBe(26);
  });

  test('end 4 hours after the page has loaded', async () => {
    await reader.open(page);
    await reader.passUntil(20.2);
    await reader.context.clock.fastForward(4 * 3600_000);
    await reader.press('a');
    await reader.pass(400);
    expect(await reader.known()).toMatchObject({ sequence: 2, seconds: 21 });
  });
});

describeInBrowser('the beacons of a reader', () => {
  test('start after 10 seconds, and not with a page that is left before', async () => {
    await reader.open(page);
    await reader.passUntil(4.3);
    await reader.setHidden(true);
    await reader.setHidden(false);
    await reader.pass(5.6);
    expect(reader.beacons).toEqual([]);
    await reader.pass(2);
    expect(reader.beacons).toMatchObject([
      { loadId: expect.stringMatching(/^[\w-]{16,40}$/), sequence: 1, seconds: 10, hasInput: false },
    ]);
  });

  test('start with the first input', async () => {
    await reader.open(page);
    await reader.passUntil(2);
    await reader.press('a', 'b');
    expect(reader.beacons).toMatchObject([{ sequence: 1, seconds: 2, hasInput: true }]);
  });

  test('follow every 5 minutes while something changes, and when the window is hidden', async () => {
    await reader.open(page);
    await reader.passUntil(10.2);
    for (let minutes = 0; minutes < 11; minutes++) {
      await reader.press('a');
      await reader.pass(59.9);
    }
    await reader.pass(2000);
    await reader.setHidden(true);
    expect(reader.beacons.map((beacon) => [beacon.sequence, beacon.seconds])).toEqual([
      [1, 10],
      [2, 310],
      [3, 610],
      [4, 670],
    ]);
  });

  test('that are lost come with the next one', async () => {
    await reader.open(page);
    await tell(0);
    await reader.passUntil(5);
    reader.isOnline = false;
    await tell(1);
    await reader.passUntil(20);
    await tell(2);
    await reader.setHidden(true);
    reader.isOnline = true;
    await reader.setHidden(false);
    await reader.pass(5);
    expect(await reader.known()).toMatchObject({
      sequence: 3,
      seconds: 25,
      current: 'Slide 2',
      slides: [
        ['Slide 0', 'Slide 0', 0, 5, 1],
        ['Slide 1', 'Slide 1', 1, 15, 1],
        ['Slide 2', 'Slide 2', 2, 5, 1],
      ],
    });
    expect(reader.beacons.length).toBe(1);
  });

  test('hold the slides that changed alone', async () => {
    await reader.open(page);
    for (const index of [0, 1, 2]) {
      await tell(index);
      await reader.pass(6);
    }
    await reader.setHidden(true);
    await reader.setHidden(false);
    await tell(1);
    await reader.pass(3);
    await reader.setHidden(true);
    expect(reader.beacons.map(({ slides }) => slides.map(({ key }) => key))).toEqual([
      ['Slide 0', 'Slide 1'],
      ['Slide 1', 'Slide 2'],
      ['Slide 1'],
    ]);
  });

  test('of a page that the browser kept go on as the same load', async () => {
    await reader.open(page);
    await reader.passUntil(12);
    const turn = (name: string) =>
      reader.page.evaluate(`dispatchEvent(new PageTransitionEvent('${name}', { persisted: true }))`);
    await turn('pagehide');
    await reader.pass(100);
    await turn('pageshow');
    await reader.pass(3);
    expect(await reader.known()).toMatchObject({ sequence: 3, seconds: 15 });
    expect(new Set(reader.beacons.map(({ loadId }) => loadId)).size).toBe(1);
  });

  test.each([
    ['globalPrivacyControl', 'true'],
    ['doNotTrack', '"1"'],
  ])('are not sent by a browser with %s, which asks for a live session when it is shown again', async (name, value) => {
    await reader.context.addInitScript(`Object.defineProperty(navigator, '${name}', { value: ${value} })`);
    await reader.open(page);
    await reader.press('a');
    await reader.pass(400);
    await reader.setHidden(true);
    await reader.setHidden(false);
    expect([reader.beacons, reader.asked]).toEqual([[], 1]);
  });

  test('are not sent by a page without the mark, nor by one in a frame', async () => {
    await reader.open(page, { element: `<script>${linked}</script>` });
    await reader.press('a');
    await reader.setHidden(true);
    await reader.serve('/inner', `<script data-seen>${linked}</script>${page}`);
    await reader.open('<iframe src="/inner"></iframe>', { element: '' });
    await reader.page.frameLocator('iframe').locator('html').click();
    await reader.pass(20);
    expect(reader.beacons).toEqual([]);
  });
});

describeInBrowser('the beacons of a deck in a frame', () => {
  /** The page around a deck, as the share page has it. */
  const around = (attributes: string) =>
    `<main ${attributes}><noscript><iframe src="/inner#2" sandbox="allow-scripts"></iframe></noscript></main>
    <script>${outer}</script>`;
  const open = async (attributes: string) => {
    await reader.serve('/inner', `<script>${framed}</script>${page}`);
    await reader.open(around(attributes), { element: '' });
    await reader.page.frameLocator('iframe').locator('html').click();
    await reader.pass(20);
  };

  test('have the ticket that the page around the deck names', async () => {
    await open('data-seen="http://deck.test/recordView" data-ticket="a.ticket"');
    expect(reader.beacons).toMatchObject([{ ticket: 'a.ticket', sequence: 1, hasInput: true }]);
  });

  test.each([
    ['no receiver', ''],
    ['a receiver without a ticket', 'data-seen="http://deck.test/recordView"'],
    ['a receiver on another origin', 'data-seen="http://other.test/recordView" data-ticket="a"'],
  ])('are not sent when it names %s', async (_name, attributes) => {
    await open(attributes);
    expect(reader.beacons).toEqual([]);
  });
});
