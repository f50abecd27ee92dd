import { status } from '@grpc/grpc-js';
import { passSeconds } from '../../support/clock';
import { newestEvents } from '../../support/events';
import { losing, network, startWorldBehindNetwork } from '../../support/gateways';
import { aReader } from '../../support/views';
import { count } from '../../support/whole-store';
import { type Account, type Deck, succeed, world } from '../../support/world';

/**
 * The answer to one of the commits of a mailing is lost. The server has applied the commit, and the SDK runs the
 * transaction again. An event exists when its change is committed, and only then.
 */

let owner: Account;

startWorldBehindNetwork(async () => {
  owner = await world.aPublisher();
});

test('a link is mailed once and stays live when the answer to any of its commits is lost', async () => {
  const { presentationId } = await world.aDeck(owner);
  for (const lost of [1, 2, 3]) {
    const email = `lost-${lost}-${Date.now()}@example.org`;
    const input = { presentationId, emails: [email] };
    type Shared = { sent: { shareUrl: string }[] };
    const share = () => world.call<Shared>('sharePresentationViaEmail', input, { key: owner.key });
    const { sent } = await losing(lost, share);
    expect(await world.mails(email)).toHaveLength(1);
    passSeconds(3600);
    const token = new URL(sent[0]!.shareUrl).searchParams.get('token')!;
    expect(await world.visit(world.viewUrl({ presentationId, token }))).toBe(200);
  }
  expect(await count(`presentations/${presentationId}/shareTokens`)).toBe(4);
  expect(await count(`presentations/${presentationId}/emailSends`)).toBe(3);
});

describe('an event', () => {
  let deck: Deck;
  beforeEach(async () => {
    owner = await world.anOwner('pro');
    deck = await world.aDeck(owner);
  });
  afterEach(() => network.refuse(undefined));

  const rename = (title: string) =>
    world.call('renamePresentation', { presentationId: deck.presentationId, title }, { key: owner.key });
  const countOf = async (type: string) => (await newestEvents(owner, { type })).length;
  /** The title of the deck, and how many events of a rename there are. */
  const renamed = async () => {
    const record = await world.database.doc(`presentations/${deck.presentationId}`).get();
    return [record.get('title'), await countOf('presentation.renamed')];
  };

  test('of a change that the database refuses does not exist', async () => {
    network.refuse(status.PERMISSION_DENIED, ['Commit']);
    expect((await rename('Refused')).status).toBe(500);
    network.refuse(undefined);
    expect(await renamed()).toEqual(['A deck', 0]);
  });

  test('of a change whose answer is lost, and of one that is retried, exists once', async () => {
    network.loseAnswers(1);
    await succeed(rename('Lost'));
    expect(await renamed()).toEqual(['Lost', 1]);
    network.refuse(status.ABORTED, ['Commit'], 1);
    await succeed(rename('Retried'));
    expect(await renamed()).toEqual(['Retried', 2]);
  });

  test('of a view that is not recorded does not exist, and that of racing beacons exists once', async () => {
    const load = await (await aReader(deck)).load();
    network.refuse(status.PERMISSION_DENIED, ['Commit']);
    await load.tell();
    network.refuse(undefined);
    expect(await countOf('link.opened')).toBe(0);
    await Promise.all([load.tell(), load.tell({ seconds: 13 })]);
    expect(await countOf('link.opened')).toBe(1);
  });
});
