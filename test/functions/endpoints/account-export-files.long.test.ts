import { walk } from '../../../functions/src/exports/walk';
import { FIRST, readPlace, writePlace, type Place } from '../../../functions/src/exports/places';
import { each } from '../../support/each';
import { askForExport } from '../../support/exports';
import { passSeconds } from '../../support/clock';
import { page, startWorld, world } from '../../support/world';
import { style, anAccount } from './exported-account';

/** An export that goes on behind each of its files. */

startWorld();

test('an export can go on behind each of its files, with the same files', async () => {
  const { owner } = await anAccount();
  await world.aDeck(owner, [page('Other'), style('c {}')], 'Another deck');
  passSeconds(60);
  const subject = await askForExport(owner);
  const from = async (place: Place) => {
    const found: { path: string; next: string }[] = [];
    for await (const { path, bytes, next } of walk(subject, place)) {
      if (typeof bytes !== 'string' && !(bytes instanceof Uint8Array)) for await (const _ of bytes);
      found.push({ path, next: writePlace(next) });
    }
    return found;
  };
  const whole = (await from(FIRST)).map(({ path }) => path);
  expect(whole.length).toBeGreaterThan(20);
  for (const [i, { next }] of each(await from(FIRST)).entries()) {
    const rest = (await from(readPlace(next))).map(({ path }) => path);
    const expected = whole.slice(i + 1);
    // The small files at the start of the account and of a deck may come again.
    expect(rest.slice(rest.length - expected.length)).toEqual(expected);
    expect(
      rest.slice(0, rest.length - expected.length).filter((path) => !whole.slice(0, i + 1).includes(path)),
    ).toEqual([]);
    expect(rest.length - expected.length).toBeLessThanOrEqual(3);
  }
});
