import { describeInBrowser } from './browser';
import { knownFrom, reader, startReaders } from './reader';

/** How many beacons a page sends, and how large they are. */

startReaders();

const page = '<title>Page</title>';

describeInBrowser('the beacons of a reader', () => {
  test('are at most 40', async () => {
    await reader.open(page);
    await reader.passUntil(10);
    for (let times = 0; times < 45; times++) {
      await reader.pass(1);
      await reader.setHidden(true);
      await reader.setHidden(false);
    }
    expect(reader.beacons.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  });

  test('have at most 16 KB: three are sent at once, and the rest comes with the next one; 500 slides at most', async () => {
    await reader.open(page);
    await reader.press('a');
    await reader.page.evaluate(`for (let index = 0; index < 600; index++)
      dispatchEvent(new CustomEvent('deck:slide', { detail: { index, title: index + ' ' + '漢'.repeat(300) } }))`);
    await reader.setHidden(true);
    expect(reader.beacons.length).toBe(4);
    while (knownFrom(reader.beacons).slides.length < 500) {
      await reader.setHidden(false);
      await reader.setHidden(true);
      expect(reader.beacons.length).toBeLessThan(40);
    }
    expect(Math.max(...reader.sizes)).toBeLessThanOrEqual(16 * 1024);
    expect(knownFrom(reader.beacons).slides.map(([, title, index]) => [index, title.length])).toEqual(
      Array.from({ length: 500 }, (_, index) => [index, 200]),
    );
  });
});
