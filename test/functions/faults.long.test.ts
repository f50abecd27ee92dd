import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { read } from '../../functions/src/records/database';
import { presentationRef } from '../../functions/src/records/presentations';
import { db } from '../../functions/src/records/sdk';
import { projectRoot } from '../../local/project';
import { each } from '../support/each';
import { endpoints } from '../support/endpoints';
import { prepareCall, successOf, type ReadyCall } from '../support/every-call';
import { faults, type Fault, type FaultProxy } from '../support/faults';
import { startFaultyBackends, type Backend, type FaultyBackends } from '../support/faulty-backends';
import { runJob } from '../support/jobs';
import { requestLineOf, watchLog } from '../support/request-lines';
import { makeWebhook } from '../support/webhooks';
import { words } from '../support/words';
import { blob, page, sha256, startWorld, succeed, world, type Account, type Deck } from '../support/world';

/** The functions reach each backend through a proxy that plays faults (docs/faults.md). */

let backends: FaultyBackends;
let grpc: FaultyBackends['grpc'];
let proxies: FaultyBackends['proxies'];
let owner: Account;
let deck: Deck;

/** How long the functions wait. The cloud has 12 000, 40 000 and 45. */
type Limits = { ATTEMPT_TIMEOUT_MS: number; CALL_TIMEOUT_MS: number; MAIL_PATIENCE_SECONDS: number };
/** No healthy call exceeds these limits, also on a busy machine. A call that must succeed has them. */
const patient: Limits = { ATTEMPT_TIMEOUT_MS: 50_000, CALL_TIMEOUT_MS: 100_000, MAIL_PATIENCE_SECONDS: 3600 };
/** They end the calls that nothing else ends: those of a silent backend, and those that the client of Auth repeats. */
const brief: Limits = { ...patient, ATTEMPT_TIMEOUT_MS: 2000, MAIL_PATIENCE_SECONDS: 1 };
const briefMails: Limits = { ...brief, ATTEMPT_TIMEOUT_MS: patient.ATTEMPT_TIMEOUT_MS };
/**
 * They also end the calls of the database, whose client repeats them. Half of this time is that of a healthy commit.
 */
const briefCalls: Limits = { ...brief, CALL_TIMEOUT_MS: 10_000 };

const limit = (limits: Limits) => Object.entries(limits).forEach(([name, value]) => (process.env[name] = `${value}`));

/** Every line that the functions write to the log. */
const lines: string[] = [];

beforeAll(() => {
  limit({ ...patient, CALL_TIMEOUT_MS: briefCalls.CALL_TIMEOUT_MS });
  watchLog((text) => lines.push(text));
});
afterEach(async () => {
  limit(patient);
  // An answer that came after the end of its call began a transaction that no call ends. It keeps its locks for 60 s,
  // or until its connection is closed.
  await proxies.Firestore.close();
  for (const proxy of Object.values(proxies)) await proxy.heal();
});
afterAll(async () => {
  // Clients that were given up repeat their reads for minutes, which would fail a later test file of this process. Over
  // new connections these reads end.
  await proxies.Firestore.close();
  await proxies.Firestore.heal();
  const seen = () => JSON.stringify(world.cloud.firestore.stats());
  for (let before = '', i = 0; i < 10 && before !== seen(); i++) {
    before = seen();
    await pause(3000);
  }
  await backends.close();
});
startWorld(async () => {
  backends = await startFaultyBackends(world);
  ({ grpc, proxies } = backends);
  // The Admin SDK's client reads its limits now: they must suit the shortest calls.
  db();
  limit(patient);
  owner = await world.anOwner('pro');
  deck = await world.aDeck(owner, [page(), LARGE]);
});

/** Opens a connection to the database that notices its silence within the present limit of an attempt. */
async function reconnect(): Promise<void> {
  await proxies.Firestore.close();
  await proxies.Firestore.heal();
  await read(presentationRef('none'));
}

const LARGE = blob(3 * 1024 * 1024, 'large.bin');
/** A large file that the instance has not cached. */
async function aLargeFile() {
  const file = blob(3 * 1024 * 1024, 'large.bin');
  return { file, shown: await world.aDeck(owner, [page(), file]) };
}
const newAddress = () => `new-${randomUUID()}@example.org`;

/** The status of an answer, or that the connection was closed in the middle of the answer. */
type Outcome = number | 'cut off';
/** Prepares a call that meets the faults. The call returns its status. */
type Prepare = () => Promise<() => Promise<Outcome>>;
const calls: Record<Backend, Record<string, Prepare>> = {
  Firestore: {
    'a commit': async () => {
      const { presentationId } = await world.aDeck(owner, [page()]);
      return async () => (await world.commit(owner, { presentationId }, [page()])).status;
    },
  },
  Storage: {
    'a view of a large file': async () => {
      const { shown, file } = await aLargeFile();
      return async () => {
        const answer = await fetch(world.viewUrl(shown, file.path));
        const bytes = await answer.arrayBuffer().catch(() => undefined);
        if (!bytes) return 'cut off';
        if (answer.ok) expect(Buffer.from(bytes).equals(file.bytes)).toBe(true);
        return answer.status;
      };
    },
    'an upload': () => {
      const [id, file] = [{ presentationId: deck.presentationId }, blob(200_000)];
      return Promise.resolve(async () => (await world.upload(owner, id, file)).status);
    },
  },
  Auth: {
    'a sign-up': async () => {
      const email = newAddress();
      await world.call('cliRequestSignupOtp', { email }, { headers: { 'x-forwarded-for': email } });
      const input = { email, code: await world.mailedCode(email), user: { firstName: 'Ada' } };
      return async () => (await world.call('cliCompleteSignup', input)).status;
    },
  },
  Tasks: {
    'the sweep of a new event': async () => {
      const someone = await world.anOwner();
      await makeWebhook(world, someone, { events: ['webhook.created'] });
      const events = world.database.collection(`organizations/${someone.organizationId}/events`);
      const isSwept = async () => (await events.get()).docs.every((event) => event.get('isUnswept') !== true);
      expect(await isSwept()).toBe(false);
      return async () => {
        await runJob('sweepWebhooks');
        return (await isSwept()) ? 200 : 500;
      };
    },
  },
  Resend: {
    'a request for a code': () => {
      const email = newAddress();
      const headers = { 'x-forwarded-for': email };
      return Promise.resolve(async () => (await world.call('cliRequestSignupOtp', { email }, { headers })).status);
    },
  },
};

type Meeting = { backend: Backend; call: string; send: () => Promise<Outcome> };

/** Plays a fault for calls that run at the same time. Then sends those that failed again: they must succeed. */
async function meet(meetings: Meeting[], play: (proxy: FaultProxy) => Promise<void>): Promise<Outcome[]> {
  const met = [...new Set(meetings.map(({ backend }) => proxies[backend]))];
  await Promise.all(met.map(play));
  const statuses = await Promise.all(meetings.map(({ send }) => send()));
  limit(patient);
  await Promise.all(met.map((proxy) => proxy.heal()));
  const again = await Promise.all(meetings.map(async ({ send }, i) => (statuses[i] === 200 ? 200 : await send())));
  expect(again.map((status, i) => [meetings[i]!.call, status])).toEqual(meetings.map(({ call }) => [call, 200]));
  return statuses;
}

/** Plays a fault for one attempt of calls that run at the same time. */
async function meetOnce(meetings: Meeting[], fault: Fault): Promise<Outcome[]> {
  const backends = new Set(meetings.map(({ backend }) => backend));
  // The client of Auth waits for the rest of an answer.
  const isSilent = fault === 'silence' || (fault === 'half an answer' && backends.has('Auth'));
  if (isSilent) limit(brief);
  if (isSilent && backends.has('Firestore')) await reconnect();
  return meet(meetings, (proxy) => proxy.playNext(fault));
}

/** Plays a fault for all attempts of calls that run at the same time. */
function meetAlways(meetings: Meeting[], fault: Fault): Promise<Outcome[]> {
  const backends = new Set(meetings.map(({ backend }) => backend));
  const isRepeated = fault !== 'slow bytes' && (backends.has('Firestore') || backends.has('Auth'));
  if (fault === 'silence' || isRepeated) limit(backends.has('Firestore') ? briefCalls : brief);
  return meet(meetings, (proxy) => proxy.playAlways(fault));
}

/** The calls of those backends, ready to be sent. A fault of one of these backends does not reach the others' calls. */
const prepareAll = (...backends: Backend[]): Promise<Meeting[]> =>
  Promise.all(
    backends.flatMap((backend) =>
      Object.entries(calls[backend]).map(async ([call, prepare]) => ({ backend, call, send: await prepare() })),
    ),
  );

/** The rows of docs/faults.md. */
const rows: string[] = [];

describe.each(faults)('a backend with the fault: %s', (fault) => {
  test.each([
    ['Firestore', ['Firestore']],
    ['Auth', ['Auth']],
    ['Storage and Resend', ['Storage', 'Resend']],
    ['Tasks', ['Tasks']],
  ] as const)('%s: each call ends in bounded time, and the same call succeeds afterwards', async (names, of) => {
    const first = await prepareAll(...of);
    const once = new Map<Meeting, Outcome>();
    // A backend that refuses connections refuses all of them.
    for (const round of fault === 'refused' ? [] : rounds(first)) {
      const outcomes = await meetOnce(round, fault);
      round.forEach((meeting, i) => once.set(meeting, outcomes[i]!));
    }
    // To the database client a connection that breaks each time is like one that is refused.
    const isLikeRefused = names === 'Firestore' && ['reset', 'half an answer', 'lost answer'].includes(fault);
    const always = isLikeRefused ? [] : await meetAlways(await prepareAll(...of), fault);
    first.forEach((meeting, i) => {
      const outcomes = [once.get(meeting) ?? '', always[i] ?? ''];
      rows.push(`| ${[meeting.backend, meeting.call, fault, ...outcomes].join(' | ')} |`);
    });
  });
});

/** The meetings in rounds with at most one call of each backend, so that the call meets the one fault. */
function rounds(meetings: Meeting[]): Meeting[][] {
  const first = meetings.filter(({ backend }, i) => meetings.findIndex((other) => other.backend === backend) === i);
  const rest = meetings.filter((meeting) => !first.includes(meeting));
  return rest.length > 0 ? [first, ...rounds(rest)] : [first];
}

describe('every endpoint', () => {
  let ready: ReadyCall[];
  beforeAll(async () => {
    ready = [];
    const names = Object.keys(endpoints);
    for (let start = 0; start < names.length; start += 8)
      ready.push(...(await Promise.all(names.slice(start, start + 8).map((name) => prepareCall(world, name)))));
  });

  /** The endpoints whose calls do not end with the expected status. */
  const others = (answers: { name: string; status: number; text: string }[], expected: (name: string) => number) =>
    answers.flatMap(({ name, status, text }) => (status === expected(name) ? [] : [[name, status, text]]));
  const send = (all: ReadyCall[]) => Promise.all(all.map(async (one) => ({ name: one.name, ...(await one.send()) })));
  /** Sends one call after the other, so that none waits for the work of the others. */
  const sendEach = async (calls: ReadyCall[]) => {
    const answers: Awaited<ReturnType<typeof send>> = [];
    for (const call of calls) answers.push(...(await send([call])));
    return answers;
  };
  const mailsTo = async () =>
    Promise.all(ready.map(async ({ name, email }) => [name, (await world.mails(email)).length] as const));

  test('answers an error of the catalogue in bounded time while the database is silent', async () => {
    const before = await mailsTo();
    limit(briefCalls);
    const begun = lines.length;
    await proxies.Firestore.playAlways('silence');
    const answers = await send(ready);
    await proxies.Firestore.heal();
    expect(others(answers, (name) => (needsNothing.has(name) ? successOf(name) : 500))).toEqual([]);
    for (const { name, text } of each(answers.filter(({ status }) => status === 500))) {
      // Pages answer errors as HTML.
      if (text.startsWith('{')) expect([name, JSON.parse(text).error.code]).toEqual([name, internalCode(name)]);
      else expect([name, text]).toEqual([name, expect.stringMatching(/^<!doctype html>/i)]);
    }
    assertNoSecrets([...answers.map(({ text }) => text), ...lines.slice(begun)]);
    expect(await mailsTo()).toEqual(before);
  });

  test('fails and mails nobody when the database refuses its writes, or answers without them', async () => {
    const before = await mailsTo();
    const begun = lines.length;
    grpc.refuse(status.UNAVAILABLE, ['Commit', 'BatchWrite']);
    limit(briefCalls);
    const needsWrites = ({ name, writes }: ReadyCall) => writes && !needsNothing.has(name);
    const failed = await send(ready.filter(needsWrites));
    // Noting the use of a key and counting a view change no answer.
    limit(patient);
    const answered = await sendEach(ready.filter((call) => !needsWrites(call)));
    grpc.refuse(undefined);
    expect([...others(failed, () => 500), ...others(answered, successOf)]).toEqual([]);
    assertNoSecrets(lines.slice(begun));
    expect(await mailsTo()).toEqual(before);
  });

  test('answers in bounded time while the bucket, the identity provider and the mail provider are silent', async () => {
    const begun = lines.length;
    const silent = (['Storage', 'Auth', 'Resend'] as const).map((each) => proxies[each]);
    const calls = ready.filter(({ name }) => needsOthers.has(name));
    await Promise.all(silent.map((proxy) => proxy.playAlways('silence')));
    // The database has all its time to withdraw what was not mailed, and to note the outcome of a mailing.
    limit(briefMails);
    const answers = await send(calls.filter(({ name }) => mails.has(name)));
    limit(brief);
    answers.push(...(await send(calls.filter(({ name }) => !mails.has(name)))));
    await Promise.all(silent.map((proxy) => proxy.heal()));
    // A mailing answers for each recipient.
    expect(others(answers, (name) => (name === 'sharePresentationViaEmail' ? 200 : 500))).toEqual([]);
    assertNoSecrets([...answers.filter(({ status }) => status === 500).map(({ text }) => text), ...lines.slice(begun)]);
  });

  test('succeeds when the faults have ended, and mails each address once', async () => {
    expect(others(await sendEach(ready), successOf)).toEqual([]);
    const counts = ready.map(({ name }) => [name, mailed.has(name) ? 1 : 0]);
    expect(await mailsTo()).toEqual(counts);
  });

  /** The endpoints that answer the same without the database. */
  const needsNothing = new Set(words('getServiceInfo getClientAddress getListingPicture recordView'));
  /** The endpoints that send a mail. */
  const mails = new Set(words('cliRequestSignupOtp cliRequestLoginOtp inviteCollaborator sharePresentationViaEmail'));
  /** The endpoints that call another backend than the database in their ordinary case. */
  const needsOthers = new Set([
    ...mails,
    ...words(`cliCompleteSignup completeDashboardSignup uploadPresentationAsset uploadPresentationAssets
      createAssetUploads completeAssetUploads remixMarketplaceListing deletePresentation`),
  ]);
  /** The endpoints whose ordinary case, or its preparation, sends a mail to the new address. */
  const mailed = new Set(
    words(`cliRequestSignupOtp cliCompleteSignup completeDashboardSignup inviteCollaborator uninviteCollaborator
      getInvitation sharePresentationViaEmail`),
  );
  const internalCode = (name: string) =>
    endpoints[name]!.definition.errors.includes('INTERNAL') ? 'INTERNAL' : 'internal';
  const assertNoSecrets = (texts: string[]) => {
    const secrets = ready.flatMap((call) => call.secrets);
    const all = texts.join('\n');
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
  };
});

test('an instance whose database connections stay silent opens another connection after three calls', async () => {
  limit(brief);
  await reconnect();
  const view = () => world.visit(world.viewUrl(deck));
  await proxies.Firestore.playAlways('silence');
  // The first call notices that the connection is silent. The next ones wait for the connection that follows it. They
  // come one after the other: requests that come at the same time share a call.
  for (let call = 1; call <= 3; call++) expect(await view()).toBe(500);
  await proxies.Firestore.heal(true);
  limit(patient);
  expect(await view()).toBe(200);
});

test('completeAssetUploads ends when the bucket stops in the middle of a file, and verifies the file afterwards', async () => {
  const id = { presentationId: deck.presentationId };
  const file = blob(3 * 1024 * 1024);
  const hash = sha256(file.bytes);
  const assets = [{ sha256: hash, size: file.bytes.length, contentType: file.contentType }];
  type Grants = { uploads: { url: string; headers: Record<string, string> }[] };
  const { uploads } = await succeed(world.call<Grants>('createAssetUploads', { ...id, assets }, { key: owner.key }));
  const { url, headers } = uploads[0]!;
  expect((await fetch(url, { method: 'PUT', headers, body: new Uint8Array(file.bytes) })).status).toBe(200);
  const complete = () => world.call('completeAssetUploads', { ...id, sha256s: [hash] }, { key: owner.key });
  await proxies.Storage.playNext('pass', 'half an answer');
  await proxies.Storage.playAlways('silence');
  limit(brief);
  expect((await complete()).status).toBe(500);
  limit(patient);
  await proxies.Storage.heal();
  expect((await complete()).data).toEqual({ verified: [hash], failed: [] });
});

test('a view that began is cut off when the bucket falls silent, and is an ERROR', async () => {
  const { shown, file } = await aLargeFile();
  await proxies.Storage.playNext('pass');
  await proxies.Storage.playAlways('silence');
  limit(brief);
  const answer = await fetch(world.viewUrl(shown, file.path));
  expect([answer.status, await answer.arrayBuffer().catch(() => 'cut off')]).toEqual([200, 'cut off']);
  const line = await requestLineOf(answer.headers.get('x-request-id')!);
  expect(line).toMatchObject({ severity: 'ERROR', status: 200, isCutOff: true });
});

test('a view by a client that stalls for longer than the bucket may goes on', async () => {
  const huge = blob(24 * 1024 * 1024, 'huge.bin');
  const answer = await fetch(world.viewUrl(await world.aDeck(await world.anOwner('pro'), [page(), huge]), huge.path));
  const reader = answer.body!.getReader();
  let received = (await reader.read()).value!.length;
  limit(brief);
  await pause(2.5 * brief.ATTEMPT_TIMEOUT_MS);
  for (let next = await reader.read(); !next.done; next = await reader.read()) received += next.value.length;
  expect(received).toBe(huge.bytes.length);
});

test('docs/faults.md has the measured answers: run `npm run faults` when this fails', () => {
  const file = join(projectRoot, 'docs', 'faults.md');
  const heading = '|---|---|---|--:|--:|\n';
  const [introduction] = readFileSync(file, 'utf8').split(heading) as [string];
  const measured = `${introduction}${heading}${rows.sort(byCall).join('\n')}\n`;
  if (process.env['UPDATE_FAULTS']) writeFileSync(file, measured);
  expect(readFileSync(file, 'utf8')).toBe(measured);
});

/** By backend and call. The faults of a call stay in their order. */
function byCall(one: string, other: string): number {
  const [a, b] = [one, other].map((row) => row.split(' | ', 2).join(' ')) as [string, string];
  return Number(a > b) - Number(a < b);
}
