import { watchLog } from '../../support/request-lines';
import { showSlides, slide, slidesOf } from '../../support/pictures';
import { startWorld, world, type Account } from '../../support/world';

/** Decks whose client sends pictures of slides that attack whoever decodes them. */

export let owner: Account;
const logged: string[] = [];

/** Starts the world before the tests of this file. */
export function startAttacks(): void {
  startWorld(async () => {
    owner = await world.anOwner();
    watchLog((line) => logged.push(line));
  });
}

export const good = slide(100);

/** Makes a test for each picture. */
export function expectLeftOut(pictures: [what: string, make: () => Promise<Buffer> | Buffer][]): void {
  test.each(pictures)('a picture that %s is left out, and the others are made', async (_what, make) => {
    const { presentationId } = await world.aDeck(owner);
    const sent = [
      { key: 'before', bytes: good },
      { key: 'title', bytes: await make() },
      { key: 'after', bytes: good },
    ];
    logged.length = 0;
    await showSlides(owner, presentationId, 1, sent);
    const rows = await slidesOf(owner, presentationId, 1);
    expect(rows.map(({ key, index }) => [key, index])).toEqual([
      ['before', 0],
      ['after', 2],
    ]);
    const told = logged.filter((line) => line.includes('picture of a slide'));
    expect(told.map((line) => JSON.parse(line) as object)).toMatchObject([
      { severity: 'WARNING', presentationId, index: 1 },
    ]);
    // The key of a slide may be its title.
    expect(told[0]).not.toContain('title');
  });
}
