import { Resend } from 'resend';
import { startMail, type MailServer } from '../../../local/mail';
import { MailEvents } from '../../../local/mail/events';
import { MailStore } from '../../../local/mail/store';
import { passSeconds } from '../../support/clock';
import { requestLocally } from '../../support/deck-origin';
import { aFolder } from '../folders';

type Listed = { id: string; to: string[]; subject: string; createdAt: string };

const dataDir = aFolder();
let server: MailServer;
let resend: Resend;

async function start(): Promise<void> {
  server = await startMail({ dataDir });
  resend = new Resend('re_local', { baseUrl: server.url });
}

beforeAll(start);
beforeEach(async () => {
  expect((await fetch(`${server.url}/messages`, { method: 'DELETE' })).ok).toBe(true);
});

afterAll(() => server.close());

async function inbox(query = ''): Promise<Listed[]> {
  return ((await (await fetch(`${server.url}/messages${query}`)).json()) as { messages: Listed[] }).messages;
}

const mail = (changes: object = {}) => ({
  from: 'Decks <decks@example.com>',
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'Hi',
  ...changes,
});

test('the inbox has a mail as it was sent', async () => {
  const [cc, replyTo, own] = ['carol@example.com', 'owner@example.com', { 'X-Deck': 'd1' }];
  const sent = { ...mail({ to: ['Ada <ada@example.com>', 'bob@example.com'] }), html: '<p>Hi</p>' };
  const { data, error } = await resend.emails.send({ ...sent, headers: own, replyTo, cc });
  expect(error).toBeNull();
  const [listed, ...others] = await inbox();
  const createdAt = new Date(listed!.createdAt).toISOString();
  const headers = { ...own, Cc: cc, 'Reply-To': replyTo };
  expect([listed, others]).toEqual([{ ...sent, id: data!.id, headers, createdAt, lastEvent: 'delivered' }, []]);
  const kept = { id: data!.id, last_event: 'delivered', reply_to: [replyTo], cc: [cc] };
  expect((await resend.emails.get(data!.id)).data).toMatchObject(kept);
});

test('the list is newest first, filtered by recipient (ignoring case), and limited', async () => {
  for (const [subject, to] of [
    ['1', 'ada@example.com'],
    ['2', 'Bob <BOB@example.com>'],
    ['3', 'ada@example.com'],
  ] as const) {
    await resend.emails.send(mail({ subject, to }));
  }
  for (const [query, subjects] of [
    ['', '321'],
    ['?to=ADA@Example.com', '31'],
    ['?to=bob@example.com', '2'],
    ['?to=ada@example.com&limit=1', '3'],
    ['?limit=2', '32'],
    ['?to=nobody@example.com', ''],
  ] as const) {
    expect((await inbox(query)).map(({ subject }) => subject).join('')).toBe(subjects);
  }
});

test.each([
  [{ to: '' }, 'missing_required_field', '`to`'],
  [{ to: [] }, 'missing_required_field', '`to`'],
  [{ from: undefined }, 'missing_required_field', '`from`'],
  [{ subject: undefined }, 'missing_required_field', '`subject`'],
  [{ to: 'nobody' }, 'validation_error', '`to`'],
  [{ to: ['ada@example.com', 'a b@example.com'] }, 'validation_error', '`to`'],
  [{ to: 'ada@example.com\r\nBcc: eve@example.com' }, 'validation_error', '`to`'],
  [{ to: `${'a'.repeat(243)}@example.com` }, 'validation_error', '`to`'],
  [{ from: 'Decks <decks>' }, 'validation_error', '`from`'],
  [{ cc: 'x' }, 'validation_error', '`cc`'],
  [{ text: undefined }, 'validation_error', '`html` or `text`'],
  [{ to: Array.from({ length: 51 }, (_, i) => `p${i}@example.com`) }, 'invalid_parameter', '`to`'],
])("a mail with %j is refused with Resend's error", async (changes, name, word) => {
  const { data, error } = await resend.emails.send(mail(changes));
  expect(data).toBeNull();
  expect(error).toMatchObject({ name, statusCode: 422, message: expect.stringContaining(word) as string });
  expect(await inbox()).toEqual([]);
});

test('a request without an API key or without JSON is refused', async () => {
  const post = (headers: Record<string, string>, body: string) =>
    fetch(`${server.url}/emails`, { method: 'POST', headers, body });
  const unkeyed = await post({}, JSON.stringify(mail()));
  expect([unkeyed.status, await unkeyed.json()]).toMatchObject([401, { name: 'missing_api_key' }]);
  expect([(await post({ authorization: 'Bearer re_x' }, '{')).status, await inbox()]).toEqual([400, []]);
});

test("Resend's test addresses select the mail's event, labels included", async () => {
  for (const [to, fate] of [
    ['bounced@resend.dev', 'bounced'],
    ['complained+case-7@resend.dev', 'complained'],
    ['suppressed@resend.dev', 'suppressed'],
    ['delivered@resend.dev', 'delivered'],
  ] as const) {
    const { data } = await resend.emails.send(mail({ to }));
    expect((await resend.emails.get(data!.id)).data!.last_event).toBe(fate);
  }
});

test('a batch is stored whole and in order', async () => {
  const { data } = await resend.batch.send(Array.from({ length: 100 }, (_, i) => mail({ to: `p${i}@example.com` })));
  expect(data!.data).toHaveLength(100);
  expect((await inbox('?limit=100')).map(({ id }) => id)).toEqual(data!.data.map(({ id }) => id).reverse());
});

test('one invalid mail refuses a strict batch; a permissive batch stores the others and reports the invalid one', async () => {
  const batch = [mail(), mail({ to: 'nobody' }), mail({ to: 'bob@example.com' })];
  expect((await resend.batch.send(batch)).error).toMatchObject({ statusCode: 422, name: 'validation_error' });
  expect(await inbox()).toEqual([]);
  const permissive = await resend.batch.send(batch, { batchValidation: 'permissive' });
  expect(permissive.data!.data).toHaveLength(2);
  expect(permissive.data!.errors).toEqual([{ index: 1, message: expect.stringContaining('`to`') as string }]);
  expect((await inbox()).map(({ to }) => to[0])).toEqual(['bob@example.com', 'ada@example.com']);
});

test.each([0, 101])('a batch of %i mails is refused', async (count) => {
  const { error } = await resend.batch.send(Array.from({ length: count }, () => mail()));
  expect(error).toMatchObject({ statusCode: 422 });
  expect(await inbox()).toEqual([]);
});

test('concurrent requests with the same key and body store one mail', async () => {
  const options = { idempotencyKey: 'welcome/1' };
  const answers = await Promise.all(Array.from({ length: 10 }, () => resend.emails.send(mail(), options)));
  expect(new Set(answers.map(({ data }) => data?.id)).size).toBe(1);
  expect(await inbox()).toHaveLength(1);
});

test('a different request with the same key is answered with 409, for batches too', async () => {
  const options = { idempotencyKey: 'batch/1' };
  const first = await resend.batch.send([mail(), mail()], options);
  expect((await resend.batch.send([mail(), mail()], options)).data).toEqual(first.data);
  expect((await resend.batch.send([mail()], options)).error).toMatchObject({
    statusCode: 409,
    name: 'invalid_idempotent_request',
  });
  expect((await resend.emails.send(mail(), options)).error).toMatchObject({ statusCode: 409 });
  expect(await inbox()).toHaveLength(2);
});

test('a refused request does not use its key', async () => {
  const options = { idempotencyKey: 'retry/1' };
  expect((await resend.emails.send(mail({ to: 'nobody' }), options)).error).toMatchObject({ statusCode: 422 });
  expect((await resend.emails.send(mail(), options)).error).toBeNull();
  expect(await inbox()).toHaveLength(1);
});

test('a key expires after 24 hours; keys and mails survive a restart', async () => {
  const options = { idempotencyKey: 'daily/1' };
  const first = await resend.emails.send(mail(), options);
  await server.close();
  await start();
  expect((await resend.emails.send(mail(), options)).data).toEqual(first.data);
  expect(await inbox()).toHaveLength(1);
  passSeconds(24 * 3600 + 1);
  expect((await resend.emails.send(mail(), options)).data!.id).not.toBe(first.data!.id);
  expect(await inbox()).toHaveLength(2);
});

test('a key has 1 to 256 characters', async () => {
  expect((await resend.emails.send(mail(), { idempotencyKey: 'k'.repeat(257) })).error).toMatchObject({
    statusCode: 400,
    name: 'invalid_idempotency_key',
  });
  expect((await resend.emails.send(mail(), { idempotencyKey: 'k'.repeat(256) })).error).toBeNull();
});

test('an event that the store refuses is logged, and ends nothing', async () => {
  const store = new MailStore(aFolder(), true);
  await store.close();
  const options = { store, url: server.url, secret: '', isTimed: true };
  let events: MailEvents;
  const line = new Promise<string>((log) => (events = new MailEvents({ ...options, log })));
  expect(await line).toMatch(/^mail events: /);
  await events!.close();
});

test('a request with a foreign host name is refused, although the name resolves to this machine', async () => {
  expect((await requestLocally(`${server.url}/messages`, { headers: { host: 'evil.example' } })).status).toBe(421);
});
