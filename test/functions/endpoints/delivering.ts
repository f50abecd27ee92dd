import { passSeconds } from '../../support/clock';
import { runJob } from '../../support/jobs';
import { startReceiver, type Receiver } from '../../support/receiver';
import { makeWebhook, type WebhookRow } from '../../support/webhooks';
import { startWorld, succeed, world, type Account, type Deck } from '../../support/world';

/** Webhooks of an owner, and the receiver of their events. Each test has its own. */

export let owner: Account;
export let deck: Deck;
export let receiver: Receiver;
let hours = 0;

/** Starts the world before the tests of this file. */
export function startDelivering(): void {
  startWorld();
  beforeEach(async () => {
    // The clock of the database never goes back, so each test begins after the dates of the test before it.
    passSeconds(10 * 86_400 * ++hours);
    owner = await world.anOwner();
    deck = await world.aDeck(owner);
    await deliverAll();
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());
}

/** The sweep of a minute, and the tasks that are due. */
export async function deliverAll(): Promise<void> {
  await runJob('sweepWebhooks');
  await world.cloud.queues.runDue();
}

export const rename = (title: string) =>
  succeed(world.call('renamePresentation', { presentationId: deck.presentationId, title }, owner));
export const aWebhook = (input: object = {}) =>
  makeWebhook(world, owner, { url: receiver.url, events: ['presentation.renamed'], ...input });
export const webhookOf = async (webhookId: string) => {
  const { webhooks } = await succeed(world.call<{ webhooks: WebhookRow[] }>('listWebhooks', undefined, owner));
  return webhooks.find((each) => each.webhookId === webhookId)!;
};
export const fail = (status = 500) => (receiver.answer = (res) => void res.writeHead(status).end('x'.repeat(2000)));
