import { setTimeout as pause } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { passSeconds } from '../../support/clock';
import { network, startWorldBehindNetwork } from '../../support/gateways';
import { runJob } from '../../support/jobs';
import { startReceiver, type Receiver } from '../../support/receiver';
import { deliveriesOf, makeWebhook, type WebhookRow } from '../../support/webhooks';
import { succeed, world, type Account, type Deck } from '../../support/world';

/** An event arrives, whatever is cut off between the commit of its change and the record of the answer. */

let owner: Account;
let deck: Deck;
let receiver: Receiver;
let webhookId: string;
let tasksHost: string;
let hours = 0;
startWorldBehindNetwork(async () => {
  tasksHost = process.env['CLOUD_TASKS_EMULATOR_HOST']!;
  owner = await world.anOwner();
  deck = await world.aDeck(owner);
  receiver = await startReceiver();
  const input = { url: receiver.url, events: ['presentation.renamed'] };
  webhookId = (await makeWebhook(world, owner, input)).webhookId;
});
beforeEach(async () => {
  passSeconds(86_400 * ++hours);
  await runJob('sweepWebhooks');
  receiver.received.length = 0;
});
afterEach(() => {
  network.refuse(undefined);
  heal();
});
afterAll(() => receiver.close());

const refuseCommits = () => network.refuse(status.PERMISSION_DENIED, ['Commit']);
/** Nothing listens at this port. */
const cutTasks = () => (process.env['CLOUD_TASKS_EMULATOR_HOST'] = '127.0.0.1:9');
const heal = () => (process.env['CLOUD_TASKS_EMULATOR_HOST'] = tasksHost);
const runDue = () => world.cloud.queues.runDue();

async function rename(): Promise<void> {
  const input = { presentationId: deck.presentationId, title: `Title ${hours}` };
  await succeed(world.call('renamePresentation', input, owner));
}

/** The event has arrived so often, each time with one id, and its one delivery is recorded. */
async function expectArrived(times: number): Promise<void> {
  for (let minute = 0; minute < 3; minute++) {
    passSeconds(60);
    await runJob('sweepWebhooks');
    await runDue();
  }
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect([ids.length, new Set(ids).size]).toEqual([times, 1]);
  const [delivery, ...others] = await deliveriesOf(world, owner, webhookId);
  expect(delivery).toMatchObject({ eventId: ids[0], status: 'delivered' });
  expect(others.filter(({ eventId }) => eventId === ids[0])).toEqual([]);
}

test('the sweep is cut off before it records what is to be sent', async () => {
  await rename();
  refuseCommits();
  await runJob('sweepWebhooks');
  network.refuse(undefined);
  await expectArrived(1);
});

test('the sweep is cut off before the task exists', async () => {
  await rename();
  cutTasks();
  await runJob('sweepWebhooks');
  expect((await deliveriesOf(world, owner, webhookId))[0]).toMatchObject({ status: 'pending', attempts: 0 });
  heal();
  await expectArrived(1);
});

test('the sweep is cut off before it notes that the tasks exist, and runs twice at once', async () => {
  await rename();
  await Promise.all([runJob('sweepWebhooks'), runJob('sweepWebhooks')]);
  const events = await world.database.collection(`organizations/${owner.organizationId}/events`).get();
  for (const { ref } of events.docs) await ref.update({ isUnswept: true });
  await expectArrived(1);
});

test('the function is cut off after the event arrived', async () => {
  await rename();
  await runJob('sweepWebhooks');
  receiver.answer = (res) => {
    if (receiver.received.length === 1) refuseCommits();
    res.writeHead(204).end();
  };
  await runDue();
  network.refuse(undefined);
  await expectArrived(2);
});

test('the function is cut off before it makes the task of the next try', async () => {
  await rename();
  await runJob('sweepWebhooks');
  receiver.answer = (res) => {
    const isFirst = receiver.received.length === 1;
    if (isFirst) cutTasks();
    res.writeHead(isFirst ? 503 : 204).end();
  };
  await runDue();
  heal();
  await expectArrived(2);
});

test('a key that is revoked while it makes a webhook makes none that stays active', async () => {
  const session = await world.aDashboardSession(owner);
  const input = { name: 'ci', scopes: ['presentations:read', 'presentations:write'] };
  const created = world.call<{ apiKey: { raw: string; keyId: string } }>('createApiKey', input, { key: session });
  const { raw: key, keyId } = (await succeed(created)).apiKey;
  const held = network.hold('Commit', (message) => message.includes('/webhooks/'), 1);
  const made = world.call('createWebhook', { url: receiver.url, events: ['*'] }, { key });
  await held.until(made);
  const revoked = world.call('revokeApiKey', { keyId }, { key: session });
  // The revocation may wait for the lock of the call.
  await Promise.race([revoked, pause(1000)]);
  held.release();
  expect((await Promise.all([made, revoked])).map(({ status }) => status)).toEqual([200, 200]);
  const { data } = await world.call<{ webhooks: WebhookRow[] }>('listWebhooks', undefined, owner);
  expect(data.webhooks.find(({ keyId: of }) => of === keyId)).toMatchObject({ status: 'disabled' });
});
