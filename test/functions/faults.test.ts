import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { db, read } from '../../functions/src/records/database';
import { presentationRef } from '../../functions/src/records/presentations';
import { endpoints } from '../support/endpoints';
import { prepareCall, type ReadyCall } from '../support/every-call';
import { FaultTable, type Backend, type Outcome } from '../support/fault-table';
import { faults, startHttpFaults, startTcpFaults, type Fault, type FaultProxy } from '../support/faults';
import { startLossyFirestore, type LossyFirestore } from '../support/lossy-firestore';
import { requestLineOf, watchLog } from '../support/request-lines';
import { blob, page, sha256, succeed, World, type Account, type Deck } from '../support/world';

/** The functions reach each backend through a proxy that plays faults (docs/faults.md, decision 18). */

let world: World;
let grpc: LossyFirestore;
let proxies: Record<Backend, FaultProxy>;
let owner: Account;
const table = new FaultTable();

/** How long the functions wait, in milliseconds. The cloud has 12 000, 40 000 and 45 000. */
const [ATTEMPT_MS, CALL_MS, MAIL_MS] = [500, 1500, 1000];
/** The database client keeps this limit. A write that takes longer on a busy machine fails without a fault. */
const DATABASE_ATTEMPT_MS = 5000;
/** The time of a call that succeeds at last. The database client pauses for more than a second before a second read. */
const LONG_CALL_MS = 20_000;
/** An answer may come this much later on a busy machine. A call without a limit takes several minutes. */
const TOLERANCE_MS = 60_000;

/** Every line that the functions write to the log. */
const lines: string[] = [];

beforeAll(async () => {
  Object.assign(process.env, {
    ATTEMPT_TIMEOUT_MS: String(DATABASE_ATTEMPT_MS),
    CALL_TIMEOUT_MS: String(CALL_MS),
    RETRY_PAUSE_MS: '5',
    MAIL_PATIENCE_SECONDS: String(MAIL_MS / 1000),
    MAIL_RETRY_PAUSE_MS: '5',
  });
  watchLog((text) => lines.push(text));
  world = await World.start();
  const { cloud } = world;
  grpc = await startLossyFirestore(cloud.firestoreHost);
  proxies = {
    Firestore: withStatuses(await startTcpFaults(grpc.host)),
    Storage: await startHttpFaults(cloud.storage.url),
    Auth: await startHttpFaults(`http://${cloud.authHost}`),
    Resend: await startHttpFaults(cloud.mailUrl),
  };
  Object.assign(process.env, {
    FIRESTORE_EMULATOR_HOST: proxies.Firestore.host,
    STORAGE_EMULATOR_HOST: `http://${proxies.Storage.host}`,
    FIREBASE_STORAGE_EMULATOR_HOST: proxies.Storage.host,
    FIREBASE_AUTH_EMULATOR_HOST: proxies.Auth.host,
    RESEND_BASE_URL: `http://${proxies.Resend.host}`,
  });
  // The database clients read their settings now.
  db();
  await read(presentationRef('none'));
  process.env['ATTEMPT_TIMEOUT_MS'] = String(ATTEMPT_MS);
  process.env['CALL_TIMEOUT_MS'] = String(LONG_CALL_MS);
  owner = await world.anOwner('pro');
  deck = await world.aDeck(owner, [page(), LARGE]);
});
afterEach(async () => {
  process.env['ATTEMPT_TIMEOUT_MS'] = String(ATTEMPT_MS);
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
  for (const proxy of Object.values(proxies)) await proxy.close();
  await grpc.close();
  await world.stop();
});

/** Adds the statuses of gRPC to the faults of the connection. */
function withStatuses(tcp: FaultProxy): FaultProxy {
  const codes: Partial<Record<Fault | 'pass', status>> = {
    busy: status.RESOURCE_EXHAUSTED,
    unavailable: status.UNAVAILABLE,
  };
  return {
    ...tcp,
    playNext: async (fault) => (codes[fault] ? grpc.refuse(codes[fault], undefined, 1) : tcp.playNext(fault)),
    playAlways: async (fault) => (codes[fault] ? grpc.refuse(codes[fault]) : tcp.playAlways(fault)),
    heal: (isSilent) => {
      grpc.refuse(undefined);
      return tcp.heal(isSilent);
    },
  };
}

/** Settles as `work` does. Fails when it takes much longer than the functions may wait. */
async function inTime<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  const begunAt = performance.now();
  const result = await work();
  expect(performance.now() - begunAt).toBeLessThan(limitMs + TOLERANCE_MS);
  return result;
}

const LARGE = blob(3 * 1024 * 1024, 'large.bin');
/** A large file that the instance has not cached. */
async function aLargeFile() {
  const file = blob(3 * 1024 * 1024, 'large.bin');
  return { file, shown: await world.aDeck(owner, [page(), file]) };
}
const newAddress = () => `new-${randomUUID()}@example.org`;
let deck: Deck;

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
      const file = blob(200_000);
      return Promise.resolve(
        async () => (await world.upload(owner, { presentationId: deck.presentationId }, file)).status,
      );
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
  Resend: {
    'a request for a code': () => {
      const email = newAddress();
      const headers = { 'x-forwarded-for': email };
      return Promise.resolve(async () => (await world.call('cliRequestSignupOtp', { email }, { headers })).status);
    },
  },
};

interface Meeting {
  backend: Backend;
  call: string;
  send: () => Promise<Outcome>;
}

/** Plays a fault for calls that run at the same time. Then sends those that failed again: they must succeed. */
async function meet(meetings: Meeting[], play: (proxy: FaultProxy) => Promise<void>): Promise<Outcome[]> {
  const met = [...new Set(meetings.map(({ backend }) => proxies[backend]))];
  await Promise.all(met.map(play));
  const statuses = await inTime(CALL_MS, () => Promise.all(meetings.map(({ send }) => send())));
  await Promise.all(met.map((proxy) => proxy.heal()));
  process.env['CALL_TIMEOUT_MS'] = String(LONG_CALL_MS);
  const again = await Promise.all(meetings.map(async ({ send }, i) => (statuses[i] === 200 ? 200 : await send())));
  expect(again.map((status, i) => [meetings[i]!.call, status])).toEqual(meetings.map(({ call }) => [call, 200]));
  return statuses;
}

/** The calls of those backends, ready to be sent. A fault of one of these backends does not reach the others' calls. */
const prepareAll = (...backends: Backend[]): Promise<Meeting[]> =>
  Promise.all(
    backends.flatMap((backend) =>
      Object.entries(calls[backend]).map(async ([call, prepare]) => ({ backend, call, send: await prepare() })),
    ),
  );

describe.each(faults)('a backend with the fault: %s', (fault) => {
  test.each([
    ['Firestore', ['Firestore']],
    ['Storage, Auth and Resend', ['Storage', 'Auth', 'Resend']],
  ] as const)('%s: each call ends in bounded time, and the same call succeeds afterwards', async (_names, backends) => {
    // Slow answers come within the limits of the cloud. Within those of this test they would race with a busy machine.
    process.env['ATTEMPT_TIMEOUT_MS'] = String(fault === 'slow bytes' ? LONG_CALL_MS : ATTEMPT_MS);
    const first = await prepareAll(...backends);
    const once = new Map<Meeting, Outcome>();
    // A backend that refuses connections refuses all of them.
    if (fault !== 'refused') {
      for (const round of rounds(first)) {
        const outcomes = await meet(round, (proxy) => proxy.playNext(fault));
        round.forEach((meeting, i) => once.set(meeting, outcomes[i]!));
      }
    }
    let always: Outcome[] = [];
    // To the database client a connection that breaks each time is like one that is refused.
    if (backends.length > 1 || !['reset', 'half an answer', 'lost answer'].includes(fault)) {
      const second = await prepareAll(...backends);
      if (fault !== 'slow bytes') process.env['CALL_TIMEOUT_MS'] = String(CALL_MS);
      always = await meet(second, (proxy) => proxy.playAlways(fault));
    }
    first.forEach((meeting, i) => {
      const { backend, call } = meeting;
      table.add({ backend, call, fault, once: once.get(meeting), always: always[i] });
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
    process.env['CALL_TIMEOUT_MS'] = String(LONG_CALL_MS);
    ready = [];
    const names = Object.keys(endpoints);
    for (let start = 0; start < names.length; start += 8) {
      const some = names.slice(start, start + 8);
      ready.push(...(await Promise.all(some.map((name) => prepareCall(world, name, isGet(name))))));
    }
  });

  const isGet = (name: string) => [endpoints[name]!.definition.method].flat().includes('GET');
  /** The endpoints whose calls do not end with the expected status. */
  const others = (answers: { name: string; status: number; text: string }[], expected: (name: string) => number) =>
    answers
      .filter(({ name, status }) => status !== expected(name))
      .map(({ name, status, text }) => [name, status, text]);
  const sendAll = () => Promise.all(ready.map(async (call) => ({ name: call.name, ...(await call.send()) })));
  const mailsTo = async () =>
    Promise.all(ready.map(async ({ name, given }) => [name, (await world.mails(given.email)).length] as const));

  test('answers an error of the catalogue in bounded time while the database is silent', async () => {
    const before = await mailsTo();
    process.env['CALL_TIMEOUT_MS'] = String(CALL_MS);
    const begun = lines.length;
    await proxies.Firestore.playAlways('silence');
    const answers = await inTime(CALL_MS, sendAll);
    await proxies.Firestore.heal();
    expect(others(answers, (name) => (needsNothing.has(name) ? 200 : 500))).toEqual([]);
    for (const { name, text } of answers.filter(({ status }) => status === 500)) {
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
    const send = (calls: ReadyCall[]) =>
      Promise.all(calls.map(async (call) => ({ name: call.name, ...(await call.send()) })));
    process.env['CALL_TIMEOUT_MS'] = String(CALL_MS);
    const failed = await inTime(CALL_MS, () => send(ready.filter(({ writes }) => writes)));
    // Noting the use of a key and counting a view change no answer.
    process.env['CALL_TIMEOUT_MS'] = String(3 * CALL_MS);
    const answered = await send(ready.filter(({ writes }) => !writes));
    grpc.refuse(undefined);
    expect([...others(failed, () => 500), ...others(answered, () => 200)]).toEqual([]);
    assertNoSecrets(lines.slice(begun));
    expect(await mailsTo()).toEqual(before);
  });

  test('answers in bounded time while the bucket, the identity provider and the mail provider are silent', async () => {
    // The attempts end these calls. The database has its time to withdraw what was not mailed, and it has the time of an
    // attempt for each answer: on a busy machine more than that of the other tests.
    process.env['CALL_TIMEOUT_MS'] = String(LONG_CALL_MS);
    process.env['ATTEMPT_TIMEOUT_MS'] = String(6 * ATTEMPT_MS);
    const begun = lines.length;
    const silent = (['Storage', 'Auth', 'Resend'] as const).map((each) => proxies[each]);
    const calls = ready.filter(({ name }) => needsOthers.has(name));
    await Promise.all(silent.map((proxy) => proxy.playAlways('silence')));
    const answers = await inTime(LONG_CALL_MS, () =>
      Promise.all(calls.map(async (call) => ({ name: call.name, ...(await call.send()) }))),
    );
    await Promise.all(silent.map((proxy) => proxy.heal()));
    // A mailing answers for each recipient.
    expect(others(answers, (name) => (name === 'sharePresentationViaEmail' ? 200 : 500))).toEqual([]);
    assertNoSecrets([...answers.filter(({ status }) => status === 500).map(({ text }) => text), ...lines.slice(begun)]);
  });

  test('succeeds when the faults have ended, and mails each address once', async () => {
    // An answer that came after the end of its call began a transaction that no call ends. It keeps its locks for 60 s, or
    // until its connection is closed.
    await proxies.Firestore.close();
    await proxies.Firestore.heal();
    process.env['CALL_TIMEOUT_MS'] = String(LONG_CALL_MS);
    const answers: Awaited<ReturnType<typeof sendAll>> = [];
    for (const call of ready) answers.push({ name: call.name, ...(await call.send()) });
    expect(others(answers, () => 200)).toEqual([]);
    for (const [name, count] of await mailsTo()) expect([name, count]).toEqual([name, mailed.has(name) ? 1 : 0]);
  });

  /** The endpoints that read no record. */
  const needsNothing = new Set(['getServiceInfo', 'getClientAddress']);
  /** The endpoints that call another backend than the database in their ordinary case. */
  const needsOthers = new Set([
    ...['cliRequestSignupOtp', 'cliRequestLoginOtp', 'cliCompleteSignup', 'completeDashboardSignup'],
    ...['inviteCollaborator'],
    ...['sharePresentationViaEmail', 'uploadPresentationAsset', 'uploadPresentationAssets', 'createAssetUploads'],
    ...['completeAssetUploads', 'remixMarketplaceListing', 'deletePresentation'],
  ]);
  /** The endpoints whose ordinary case, or its preparation, sends a mail to the new address. */
  const mailed = new Set([
    'cliRequestSignupOtp',
    'cliCompleteSignup',
    'completeDashboardSignup',
    'inviteCollaborator',
    'uninviteCollaborator',
    'sharePresentationViaEmail',
  ]);
  const internalCode = (name: string) =>
    endpoints[name]!.definition.errors.includes('INTERNAL') ? 'INTERNAL' : 'internal';
  const assertNoSecrets = (texts: string[]) => {
    const secrets = ready.flatMap((call) => call.secrets);
    const all = texts.join('\n');
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
  };
});

test('an instance whose database connections stay silent opens another connection after three calls', async () => {
  process.env['CALL_TIMEOUT_MS'] = String(CALL_MS);
  const view = () => world.visit(world.viewUrl(deck));
  await proxies.Firestore.playAlways('silence');
  // The first call notices that the connection is silent. The next ones wait for the connection that follows it. They
  // come one after the other: requests that come at the same time share a call.
  for (let call = 1; call <= 3; call++) expect(await view()).toBe(500);
  await proxies.Firestore.heal(true);
  process.env['CALL_TIMEOUT_MS'] = String(LONG_CALL_MS);
  expect(await inTime(CALL_MS, view)).toBe(200);
});

test('completeAssetUploads ends when the bucket stops in the middle of a file, and verifies the file afterwards', async () => {
  process.env['CALL_TIMEOUT_MS'] = String(LONG_CALL_MS);
  const id = { presentationId: deck.presentationId };
  const file = blob(3 * 1024 * 1024);
  const hash = sha256(file.bytes);
  const assets = [{ sha256: hash, size: file.bytes.length, contentType: file.contentType }];
  const { uploads } = await succeed(
    world.call<{ uploads: { url: string; headers: Record<string, string> }[] }>(
      'createAssetUploads',
      { ...id, assets },
      { key: owner.key },
    ),
  );
  const { url, headers } = uploads[0]!;
  expect((await fetch(url, { method: 'PUT', headers, body: new Uint8Array(file.bytes) })).status).toBe(200);
  const complete = () => world.call('completeAssetUploads', { ...id, sha256s: [hash] }, { key: owner.key });
  await proxies.Storage.playNext('pass', 'half an answer');
  await proxies.Storage.playAlways('silence');
  expect((await inTime(CALL_MS, complete)).status).toBe(500);
  await proxies.Storage.heal();
  expect((await complete()).data).toEqual({ verified: [hash], failed: [] });
});

describe('a view', () => {
  let shown: Deck;
  const view = (init: RequestInit = {}) => fetch(world.viewUrl(shown, 'large.bin'), init);
  /** The log line of that request. The functions write it when the connection has closed. */
  const lineOf = (answer: Response) => requestLineOf(answer.headers.get('x-request-id')!);
  beforeEach(async () => {
    shown = (await aLargeFile()).shown;
    process.env['CALL_TIMEOUT_MS'] = String(CALL_MS);
  });

  test.each(['unavailable', 'reset'] as const)('of which nothing was sent is a 500 and an ERROR: %s', async (fault) => {
    await proxies.Storage.playAlways(fault);
    const answer = await view();
    expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('etag')]).toEqual([
      500,
      'no-store',
      null,
    ]);
    expect(await lineOf(answer)).toMatchObject({ severity: 'ERROR', status: 500, errorCode: 'internal' });
  });

  test.each(['unavailable', 'reset', 'silence'] as const)(
    'that began is cut off, and is an ERROR: %s',
    async (fault) => {
      await proxies.Storage.playNext('pass');
      await proxies.Storage.playAlways(fault);
      const answer = await view();
      expect([answer.status, await answer.arrayBuffer().catch(() => 'cut off')]).toEqual([200, 'cut off']);
      expect(await lineOf(answer)).toMatchObject({ severity: 'ERROR', status: 200, isCutOff: true });
    },
  );

  test('that its client closes is not an ERROR', async () => {
    const abort = new AbortController();
    const answer = await view({ signal: abort.signal });
    abort.abort();
    expect(await lineOf(answer)).toMatchObject({ severity: 'INFO', isCutOff: true });
  });

  test('by a client that stalls for longer than the bucket may goes on', async () => {
    process.env['ATTEMPT_TIMEOUT_MS'] = '1000';
    const huge = blob(24 * 1024 * 1024, 'huge.bin');
    const pro = await world.anOwner('pro');
    const shown = await world.aDeck(pro, [page(), huge]);
    const answer = await fetch(world.viewUrl(shown, huge.path));
    const reader = answer.body!.getReader();
    let received = (await reader.read()).value!.length;
    await pause(2500);
    for (let next = await reader.read(); !next.done; next = await reader.read()) received += next.value.length;
    expect(received).toBe(huge.bytes.length);
  });
});

test('docs/faults.md has the measured answers: run `npm run faults` when this fails', () => {
  expect(table.document()).toBe(table.markdown());
});
