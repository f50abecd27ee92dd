import { serviceSecrets } from '../../../functions/src/config';
import { openWebhookSecret } from '../../../functions/src/values/webhook-secrets';
import { atOnce, outcomes } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { dataOf, eventsOf } from '../../support/events';
import { runJob } from '../../support/jobs';
import { makeWebhook, type WebhookRow } from '../../support/webhooks';
import { startWorld, succeed, world, type Account } from '../../support/world';

/** Who makes, changes and reads webhooks, and who is told of it. */

let owner: Account;
let session: string;
startWorld();
beforeEach(async () => {
  owner = await world.anOwner();
  session = await world.aDashboardSession(owner);
});

const call = <T = { webhook: WebhookRow }>(name: string, input: object, key = owner.key) =>
  succeed(world.call<T>(name, input, { key }));
const listed = async (key = owner.key) =>
  (await succeed(world.call<{ webhooks: WebhookRow[] }>('listWebhooks', undefined, { key }))).webhooks;
const create = (more: object = {}, by: { key: string; headers?: Record<string, string> } = owner) =>
  world.call('createWebhook', { url: 'https://example.com/', events: ['*'], ...more }, by);
const problemOf = async (input: object) => {
  const { status, error } = await create(input);
  return [status, ...(error.details?.errors ?? []).map(({ location, message }) => `${location}: ${message}`)];
};
const stored = () => world.database.collection(`organizations/${owner.organizationId}/webhooks`).get();

test('a webhook is made, listed, changed and deleted', async () => {
  const made = await makeWebhook(world, { key: session }, { url: 'https://EXAMPLE.com', events: ['link.opened'] });
  expect(made).toMatchObject({ url: 'https://example.com/', format: 'standard', status: 'active', keyId: null });
  const { secret, ...row } = made;
  expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
  expect(await listed()).toEqual([row]);
  const { webhookId } = made;
  const changes = { events: ['*', 'view.ended'], format: 'slack', description: 'For sales', includeReaders: true };
  const { webhook } = await call('updateWebhook', { webhookId, ...changes }, session);
  expect(webhook).toEqual({ ...row, ...changes, events: ['*'] });
  await call('deleteWebhook', { webhookId });
  expect([await listed(), (await stored()).size]).toEqual([[], 0]);
  for (const name of ['updateWebhook', 'rotateWebhookSecret', 'deleteWebhook'])
    expect((await world.call(name, { webhookId }, owner)).status).toBe(404);
});

test('the secret is answered once and stored sealed, and a rotation keeps the one before for a day', async () => {
  const { webhookId, secret } = await makeWebhook(world, owner);
  const rotated = await call<{ secret: string; oldUntil: string }>('rotateWebhookSecret', { webhookId });
  expect(rotated.secret).not.toBe(secret);
  const ahead = Date.parse(rotated.oldUntil) - Date.now();
  expect(ahead > 23 * 3_600_000 && ahead <= 24 * 3_600_000).toBe(true);
  const [document] = (await stored()).docs;
  const { sealed, old } = document!.data() as { sealed: string; old: { sealed: string } };
  const opened = [sealed, old.sealed].map((each) => openWebhookSecret(serviceSecrets.accepted(), webhookId, each));
  expect(opened).toEqual([rotated.secret, secret]);
  const everything = JSON.stringify([document!.data(), await listed()]);
  for (const each of [secret, rotated.secret]) expect(everything).not.toContain(each.slice(6));
});

test('a repeated call makes one webhook, and its answer lacks the secret', async () => {
  const repeated = () => create({}, { key: owner.key, headers: { 'idempotency-key': 'one' } });
  const [first, again] = [await repeated(), await repeated()];
  expect([typeof first.data['secret'], again.data['secret']]).toEqual(['string', undefined]);
  expect(await listed()).toHaveLength(1);
});

test('an organization has 10 webhooks at most, however many calls race', async () => {
  expect(outcomes(await atOnce(12, () => create()))).toEqual({ ok: 10, conflict: 2 });
  expect(await listed()).toHaveLength(10);
});

test('the address and the types are checked, and the setting lifts the private networks', async () => {
  expect(await problemOf({ events: ['link.closed'] })).toEqual([400, expect.stringContaining('body.events[0]')]);
  expect(await problemOf({ events: [] })).toEqual([400, expect.stringContaining('body.events: A webhook needs')]);
  expect(await problemOf({ url: 'ftp://example.com' })).toEqual([400, expect.stringContaining('body.url: ')]);
  expect((await create({ url: 'http://127.0.0.1:1/' })).status).toBe(200);
  const before = process.env['WEBHOOK_PRIVATE_TARGETS'];
  process.env['WEBHOOK_PRIVATE_TARGETS'] = 'false';
  // The functions read the environment once in a turn of the event loop.
  await new Promise(setImmediate);
  try {
    for (const url of ['http://example.com/', 'https://127.0.0.1/', 'https://169.254.169.254/', 'https://a.b:80/'])
      expect(await problemOf({ url })).toEqual([400, expect.stringContaining('body.url: ')]);
  } finally {
    process.env['WEBHOOK_PRIVATE_TARGETS'] = before;
  }
});

describe('of keys', () => {
  /** A key with these scopes, made at the dashboard. */
  const aKey = async (scopes: string[]) => {
    type Made = { apiKey: { raw: string; keyId: string } };
    const { raw, keyId } = (await call<Made>('createApiKey', { name: 'ci', scopes }, session)).apiKey;
    return { key: raw, keyId };
  };

  test('one that only writes makes no webhook, and one that only reads lists them', async () => {
    const [writer, reader] = [await aKey(['presentations:write']), await aKey(['presentations:read'])];
    for (const each of [writer, reader]) expect((await create({}, each)).status).toBe(403);
    expect(await listed(reader.key)).toEqual([]);
  });

  test('the revocation disables what the key made or changed last, and nothing else', async () => {
    const { key, keyId } = await aKey(['presentations:read', 'presentations:write']);
    const made = await makeWebhook(world, { key });
    const ids = await atOnce(4, async () => (await makeWebhook(world, { key: session })).webhookId);
    const [changed, rotated, kept, taken] = ids;
    await call('updateWebhook', { webhookId: changed, url: 'https://other.example/' }, key);
    await call('rotateWebhookSecret', { webhookId: rotated }, key);
    await call('updateWebhook', { webhookId: taken, description: 'x' }, key);
    await call('updateWebhook', { webhookId: taken, url: 'https://mine.example/' }, session);
    const events = await eventsOf(owner, () => call('revokeApiKey', { keyId }, session));
    const ended = Array<string>(3).fill('webhook.disabled');
    expect(events.map(({ type }) => type).sort()).toEqual(['key.revoked', ...ended]);
    const idsOf = async (of: string) =>
      (await listed()).filter(({ status }) => status === of).map(({ webhookId }) => webhookId);
    expect((await idsOf('disabled')).sort()).toEqual([made.webhookId, changed, rotated].sort());
    expect((await idsOf('active')).sort()).toEqual([kept, taken].sort());
    const { webhook } = await call('updateWebhook', { webhookId: made.webhookId, status: 'active' }, session);
    expect(webhook).toMatchObject({ status: 'active', disabledBy: null, keyId: null });
  });
});

test('a webhook and its end are events, without the address and the secret', async () => {
  const url = 'https://hooks.example.com/services/T0/hidden';
  const events = await eventsOf(owner, async () => {
    const { webhookId } = await makeWebhook(world, owner, { url });
    passSeconds(1);
    await call('updateWebhook', { webhookId, status: 'disabled' });
    passSeconds(1);
    await call('updateWebhook', { webhookId, status: 'disabled' });
  });
  expect(dataOf(events, 'webhook.created').webhook).toMatchObject({ host: 'hooks.example.com', status: 'active' });
  expect(dataOf(events, 'webhook.disabled').webhook).toMatchObject({ status: 'disabled', disabledBy: 'user' });
  expect(JSON.stringify(events)).not.toMatch(/hidden|whsec_/);
});

test('the owner is mailed what was changed and by which key, at most once an hour', async () => {
  const { webhookId } = await makeWebhook(world, owner);
  await runJob('sweepWebhooks');
  const [mail] = await world.mails(owner.email);
  expect(mail!.text).toContain('events are sent to hooks.example.com. The key “CLI default key” did it.');
  passSeconds(60);
  await call('rotateWebhookSecret', { webhookId });
  await call('updateWebhook', { webhookId, events: ['*'] }, session);
  await runJob('sweepWebhooks');
  expect(await world.mails(owner.email)).toHaveLength(1);
  passSeconds(3600);
  await Promise.all([runJob('sweepWebhooks'), runJob('sweepWebhooks')]);
  await runJob('sweepWebhooks');
  const [second, ...others] = await world.mails(owner.email);
  expect(others).toHaveLength(1);
  expect(second!.text).toMatch(/got another secret\. The key[^]*was changed\.\n/);
});
