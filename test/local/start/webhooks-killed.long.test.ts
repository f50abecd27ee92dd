import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { startReceiver, type Receiver } from '../../support/receiver';
import { aFolder } from '../folders';
import { buildBundles } from '../../support/bundles';
import { start, type Running } from './command';

/** `npm start` is killed at each step between the commit of a change and the record of its delivery. */

beforeAll(() => buildBundles());
jest.setTimeout(400_000);

let service: Running;
let receiver: Receiver;
const dataDir = aFolder();
const ports = ['--data', dataDir, '--json', '--no-deck-origin'];
beforeAll(async () => {
  receiver = await startReceiver();
  service = await start(...ports);
});
afterAll(async () => {
  await kill();
  await receiver.close();
});

/** Kills the service as the machine does when it has no memory left. */
async function kill(): Promise<void> {
  const exited = once(service.child, 'exit');
  service.child.kill('SIGKILL');
  await exited;
}

async function restart(): Promise<void> {
  await kill();
  service = await start(...ports);
}

async function call<Data>(name: string, input?: object, key?: string): Promise<Data> {
  const response = await fetch(`${service.addresses.baseUrl}/${name}`, {
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    ...(input && { method: 'POST', body: JSON.stringify(input) }),
  });
  const { data, error } = (await response.json()) as { data: Data; error?: object };
  expect([name, error]).toEqual([name, undefined]);
  return data;
}

/** A key with two webhooks: the first is told that the second is disabled. */
async function prepare(email: string) {
  await call('cliRequestSignupOtp', { email });
  const mails = await fetch(`${service.addresses.mailUrl}/messages?to=${encodeURIComponent(email)}`);
  const { messages } = (await mails.json()) as { messages: { text: string }[] };
  const code = /\b\d{6}\b/.exec(messages[0]!.text)![0];
  const input = { email, code, user: { firstName: 'Ada' } };
  const key = (await call<{ apiKey: { raw: string } }>('cliCompleteSignup', input)).apiKey.raw;
  const create = async () => {
    const wanted = { url: receiver.url, events: ['webhook.disabled'] };
    return (await call<{ webhook: { webhookId: string } }>('createWebhook', wanted, key)).webhook.webhookId;
  };
  return { key, webhookId: await create(), other: await create() };
}
type Prepared = Awaited<ReturnType<typeof prepare>>;

type Delivery = { eventId: string; status: string };
const deliveriesOf = async ({ key, webhookId }: Prepared) =>
  (await call<{ deliveries: Delivery[] }>(`listWebhookDeliveries?webhookId=${webhookId}`, undefined, key)).deliveries;

/** Waits until the one event is recorded as delivered. */
async function recorded(prepared: Prepared): Promise<Delivery[]> {
  for (;;) {
    const deliveries = await deliveriesOf(prepared);
    if (deliveries.some(({ status }) => status === 'delivered')) return deliveries;
    await pause(500);
  }
}

const change = ({ key, other }: Prepared) => call('updateWebhook', { webhookId: other, status: 'disabled' }, key);
/** Resolves when the receiver has a request, which it answers with `answer` first, or not at all. */
const requested = (answer?: number) =>
  new Promise<void>((resolve) => {
    receiver.answer = (res) => {
      receiver.answer = (later) => void later.writeHead(204).end();
      if (answer === undefined) return resolve();
      res.writeHead(answer).end(() => resolve());
    };
  });

test.each<[when: string, times: number, until: (prepared: Prepared) => Promise<unknown>]>([
  ['after the answer of the change', 1, change],
  [
    'while the sweep makes the task',
    // The request may leave before the kill.
    2,
    async (prepared) => {
      await change(prepared);
      while ((await deliveriesOf(prepared)).length === 0) await pause(5);
    },
  ],
  ['before the receiver answers', 2, (prepared) => Promise.all([requested(), change(prepared)])],
  ['after the receiver has answered 204', 2, (prepared) => Promise.all([requested(204), change(prepared)])],
  ['after the receiver has answered 503', 2, (prepared) => Promise.all([requested(503), change(prepared)])],
])('an event arrives when the service is killed %s', async (when, times, until) => {
  const prepared = await prepare(`${when.replaceAll(' ', '-')}@example.com`);
  receiver.received.length = 0;
  await until(prepared);
  await restart();
  const deliveries = await recorded(prepared);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids)).toEqual(new Set([deliveries[0]!.eventId]));
  expect(deliveries).toHaveLength(1);
  // The record of an answer may be written before the kill.
  expect(ids.length).toBeGreaterThanOrEqual(1);
  expect(ids.length).toBeLessThanOrEqual(times);
});
