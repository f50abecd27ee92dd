import { mapConcurrently } from '../../../functions/src/blobs/concurrent';
import { placeQuarantined } from '../../../functions/src/blobs/quarantine';
import { startBucketGateway, type BucketGateway } from '../../support/bucket-gateway';
import { bucket } from '../../support/whole-store';
import { World, type Account } from '../../support/world';

let world: World;
let gateway: BucketGateway;
let owner: Account;

beforeAll(async () => {
  world = await World.start();
  gateway = await startBucketGateway(world.cloud.storage.url);
  // The functions make their bucket client at their first call, so the variable is set before it.
  process.env['STORAGE_EMULATOR_HOST'] = gateway.url;
  owner = await world.anOwner();
});
afterAll(async () => {
  await world.stop();
  await gateway.close();
});

test('a page of the quarantine that the bucket does not answer is asked for again, without the pages before it', async () => {
  const { presentationId } = await world.aDeck(owner);
  const [first, between, last] = ['0', '8', 'f'].map((digit) => digit.repeat(64)) as [string, string, string];
  const names = Array.from({ length: 1001 }, (_, i) => `quarantine/${presentationId}/${between}/${i}`);
  await mapConcurrently(names, 32, (name) => bucket().file(name).save('x', { resumable: false, validation: false }));
  const before = process.env['ATTEMPT_TIMEOUT_MS'];
  process.env['ATTEMPT_TIMEOUT_MS'] = '10000';
  const held = gateway.hold('request', ({ address }) => address.includes('pageToken='), 1);
  try {
    const { storageCalls } = await world.costOf(async () => {
      expect(await placeQuarantined(presentationId, [first, last], 1000, new Date())).toEqual([
        'not-uploaded',
        'not-uploaded',
      ]);
    });
    // Two pages, and one look at the place of each blob. The bucket did not get the call that was held.
    expect(storageCalls).toBe(4);
  } finally {
    held.release();
    if (before === undefined) delete process.env['ATTEMPT_TIMEOUT_MS'];
    else process.env['ATTEMPT_TIMEOUT_MS'] = before;
  }
});
