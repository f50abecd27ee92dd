import { startBucketGateway, type BucketGateway } from './bucket-gateway';
import { startLossyFirestore, type LossyFirestore } from './lossy-firestore';
import { startWorld, succeed, world, type Answered } from './world';

/** The gateway in front of the database of a test file that calls `startWorldBehindNetwork`. */
export let network: LossyFirestore;
/** The gateway in front of the bucket of a test file that calls `startWorldBehindGateway`. */
export let gateway: BucketGateway;

/** Starts `world`, whose functions reach the database through `network`. */
export function startWorldBehindNetwork(prepare: () => Promise<unknown>): void {
  afterAll(() => network.close());
  startWorld(async () => {
    network = await startLossyFirestore(world.cloud.firestoreHost);
    // The functions connect through the gateway with their first request. The test is already connected directly.
    process.env['FIRESTORE_EMULATOR_HOST'] = network.host;
    await prepare();
  });
}

/** Starts `world`, whose functions and tests reach the bucket through `gateway`. */
export function startWorldBehindGateway(prepare: () => Promise<unknown>): void {
  startWorld(async () => {
    gateway = await startBucketGateway(world.cloud.storage.url);
    // The functions make their bucket client at their first call, so the variables are set before it.
    process.env['STORAGE_EMULATOR_HOST'] = gateway.url;
    process.env['FIREBASE_STORAGE_EMULATOR_HOST'] = new URL(gateway.url).host;
    await prepare();
  });
  afterAll(() => gateway.close());
}

/** The data of a call while the answers to the next commits are lost. The test stands behind `network`. */
export async function losing<T>(commits: number, send: () => Promise<Answered<T>>): Promise<T> {
  network.loseAnswers(commits);
  const answer = await send();
  network.loseAnswers(0);
  return succeed(Promise.resolve(answer));
}
