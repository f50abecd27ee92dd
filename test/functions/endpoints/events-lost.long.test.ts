import { status } from '@grpc/grpc-js';
import { network, startWorldBehindNetwork } from '../../support/gateways';
import { newestEvents } from '../../support/events';
import { aReader } from '../../support/views';
import { succeed, world, type Account, type Deck } from '../../support/world';

/**
 * An event exists when its change is committed, and only then: also when the database refuses, or its answer is lost.
 */

let owner: Account;
let deck: Deck;
startWorldBehindNetwork(async () => {
  owner = await world.anOwner('pro');
  deck = await world.aDeck(owner);
});
afterEach(() => network.refuse(undefined));

const rename = (title: string) =>
  world.call('renamePresentation', { presentationId: deck.presentationId, title }, { key: owner.key });
const countOf = async (type: string) => (await newestEvents(owner, { type })).length;
const titleOf = async () =>
  (await world.database.doc(`presentations/${deck.presentationId}`).get()).get('title') as string;

test('a change that the database refuses tells nothing', async () => {
  network.refuse(status.PERMISSION_DENIED, ['Commit']);
  expect((await rename('Refused')).status).toBe(500);
  network.refuse(undefined);
  expect([await titleOf(), await countOf('presentation.renamed')]).toEqual(['A deck', 0]);
});

test('a change whose answer is lost, and one that is retried, are told once', async () => {
  network.loseAnswers(1);
  await succeed(rename('Lost'));
  expect([await titleOf(), await countOf('presentation.renamed')]).toEqual(['Lost', 1]);
  network.refuse(status.ABORTED, ['Commit'], 1);
  await succeed(rename('Retried'));
  expect([await titleOf(), await countOf('presentation.renamed')]).toEqual(['Retried', 2]);
});

test('a view that is not recorded is not told, and of racing beacons one tells it', async () => {
  const load = await (await aReader(deck)).load();
  network.refuse(status.PERMISSION_DENIED, ['Commit']);
  await load.tell();
  network.refuse(undefined);
  expect(await countOf('link.opened')).toBe(0);
  await Promise.all([load.tell(), load.tell({ seconds: 13 })]);
  expect(await countOf('link.opened')).toBe(1);
});
