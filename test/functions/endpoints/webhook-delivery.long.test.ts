import { passSeconds } from '../../support/clock';
import { newestEvents } from '../../support/events';
import { succeed, world } from '../../support/world';
import { owner, receiver, deliverAll, rename, aWebhook, webhookOf, fail, startDelivering } from './delivering';

/** Deliveries to webhooks that take days, or that are very many. */

startDelivering();

test('a webhook at which nothing arrives for 5 days is disabled, and its owner is mailed', async () => {
  fail();
  const { webhookId } = await aWebhook();
  const failFor3Days = async () => {
    for (let step = 0; step < 14; step++) {
      await deliverAll();
      passSeconds(12 * 3600 + 60);
    }
  };
  for (const title of ['a', 'b', 'c', 'd']) await rename(title);
  await failFor3Days();
  expect(await webhookOf(webhookId)).toMatchObject({ status: 'active', failingSince: expect.any(String) as string });
  await rename('e');
  await failFor3Days();
  expect(await webhookOf(webhookId)).toMatchObject({ status: 'disabled', disabledBy: 'failures' });
  await rename('f');
  const before = receiver.received.length;
  await deliverAll();
  expect(receiver.received).toHaveLength(before);
  const [mail] = await world.mails(owner.email);
  expect(mail!.text).toContain('was disabled, because no event arrived there for 5 days');
  expect(await newestEvents(owner, { type: 'webhook.disabled' })).toHaveLength(1);
});

test('an organization asks for 120 tests and repeated deliveries an hour', async () => {
  const { webhookId } = await aWebhook();
  const test = () => world.call<{ delivery: { deliveryId: string } }>('sendTestEvent', { webhookId }, owner);
  const { deliveryId } = (await succeed(test())).delivery;
  for (let i = 1; i < 60; i++) {
    await succeed(test());
    await succeed(world.call('redeliverWebhook', { deliveryId }, owner));
  }
  await succeed(world.call('redeliverWebhook', { deliveryId }, owner));
  const refused = [await test(), await world.call('redeliverWebhook', { deliveryId }, owner)];
  const details = { limit: 120, windowSeconds: 3600 };
  expect(refused).toMatchObject(Array(2).fill({ status: 429, error: { code: 'rate-limited', details } }));
  expect(receiver.received).toHaveLength(120);
  passSeconds(3601);
  await succeed(test());
});
