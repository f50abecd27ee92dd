import { runIn } from '../../../functions/src/context';
import { deleteRecords } from '../../../functions/src/records/deletions';
import { db } from '../../../functions/src/records/sdk';
import { World } from '../../support/world';

/** Calls that the Admin SDK makes by itself, while it handles an answer. */

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

test('the end of the request that opened the connection does not end what the SDK sends for a later one', async () => {
  const endsAt = performance.now() + 1000;
  await runIn({ trail: undefined, endsAt }, () => db().doc('presentations/none').get());
  while (performance.now() < endsAt) await new Promise(setImmediate);

  const below = world.database.doc('presentations/late/novelties/none/below/a');
  await below.set({});
  // The recursive deletion of the SDK sends its writes when its query ends.
  await runIn({ trail: undefined, endsAt: performance.now() + 60_000 }, () => deleteRecords('late'));
  expect((await below.get()).exists).toBe(false);
});
