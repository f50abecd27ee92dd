import { startSchedules } from '../../../local/schedules';
import { passSeconds } from '../../support/clock';
import { world } from '../../support/world';
import { HOUR, leftovers, aHalfDeletedDeck, aLeftSession, startDeleting } from './left-decks';

/** The schedules of the jobs that remove what deletions and sessions have left. */

startDeleting();

describe('an upload session that was never committed', () => {
  test('is gone within 2 hours by the schedules of the jobs, and so is a deletion that was cut off', async () => {
    await aHalfDeletedDeck();
    await aLeftSession();
    passSeconds(HOUR);
    const schedules = startSchedules({ functions: world.functions, baseUrl: world.cloud.baseUrl, log: () => {} });
    for (let minutes = 0; minutes < 120; minutes += 10) {
      passSeconds(600);
      await schedules.runDue();
    }
    await schedules.close();
    expect(await leftovers()).toEqual([]);
  });
});
