import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getFirestore } from 'firebase-admin/firestore';
import { start, type Addresses, type Ended, type Running } from '../local/start/command';
import { buildBundles } from '../support/bundles';
import { navigation, requestTarget } from '../support/deck-origin';
import { each } from '../support/each';
import { endpoints } from '../support/endpoints';
import { parseRequestLine, type RequestLine } from '../support/request-lines';
import { blob, manifestRow, page, sha256 } from '../support/world';

/** The output of the built service, in its own process, while clients send secrets. */

const definitions = Object.values(endpoints).map(({ definition }) => definition);

type Sent = { id: string; name: string; method: string; status: number };

/** More than the buffers between a server and a client that does not read can take. */
const FILM_BYTES = 24 * 1024 * 1024;
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
let service: Running;
let addresses: Addresses;
let ended: Ended;
let lines: RequestLine[];
const sent: Sent[] = [];
/** Texts that must not occur in any output. */
const secrets = new Set<string>();
const keep = (secret: string) => (secrets.add(secret), secret);
let keyId: string;

type Body = { data: Record<string, string> & { apiKey: { raw: string; keyId: string } } };
type Shared = { sent: { shareUrl: string }[]; summary: object };

async function send(name: string, init: RequestInit = {}, path = ''): Promise<Body> {
  const answer = await fetch(`${addresses.baseUrl}/${name}${path}`, { redirect: 'manual', ...init });
  const { method = 'GET' } = init;
  sent.push({ id: answer.headers.get('x-request-id')!, name, method, status: answer.status });
  const text = await answer.text();
  return text.startsWith('{') ? (JSON.parse(text) as Body) : ({ data: {} } as Body);
}

const post = (name: string, body: object, authorization = '') =>
  send(name, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    body: JSON.stringify(body),
  });

async function codeFor(email: string): Promise<string> {
  const answer = await fetch(`${addresses.mailUrl}/messages?to=${encodeURIComponent(email)}`);
  const { messages } = (await answer.json()) as { messages: { text: string }[] };
  return keep(/\b\d{6}\b/.exec(messages[0]!.text)![0]);
}

beforeAll(async () => {
  buildBundles();
  service = await start('--ephemeral', '--json');
  addresses = service.addresses;

  const email = keep('ada.secret@example.org');
  await post('cliRequestSignupOtp', { email });
  const signup = await post('cliCompleteSignup', { email, code: await codeFor(email), user: { firstName: 'Ada' } });
  const key = `Bearer ${keep(signup.data.apiKey.raw)}`;
  keyId = signup.data.apiKey.keyId;

  const files = [page(), blob(FILM_BYTES, 'film.bin')];
  const { sessionId } = (await post('precheckAssets', { hashes: [] }, key)).data;
  for (const file of files) {
    const form = new FormData();
    form.append('sessionId', sessionId!);
    form.append('sha256', sha256(file.bytes));
    form.append('contentType', file.contentType);
    form.append('file', new Blob([new Uint8Array(file.bytes)]));
    await send('uploadPresentationAsset', { method: 'POST', headers: { authorization: key }, body: form });
  }
  const commit = { sessionId, title: 'A deck', entryPath: 'index.html', files: files.map(manifestRow) };
  const { presentationId, token } = (await post('commitPresentationVersion', commit, key)).data;
  keep(token!);
  await send('getSharedPresentation', {}, `/${presentationId}/_t/${token}/`);
  await send('getSharedPresentation', {}, `/${presentationId}/_t/${token}/film.bin`);
  await send('getSharedPresentation', {}, `/${presentationId}/film.bin?token=${token}`);
  await send('getSharedPresentation', { method: 'HEAD' }, `/${presentationId}/_t/${token}`);
  await closeEarly(`/${presentationId}/_t/${token}/film.bin`);
  await send('verifyApiKey', { headers: { 'x-cloud-trace-context': `${TRACE_ID}/1;o=1` } });
  await send('sharePage', {}, `/${presentationId}?token=${token}`);
  // Requests that share a read end together.
  const ofEntry = `/${presentationId}/_t/${token}/`;
  await Promise.all(Array.from({ length: 16 }, () => send('getSharedPresentation', {}, ofEntry)));
  await post('inviteCollaborator', { presentationId, email: keep('grace.secret@example.org') }, key);
  const mailed = {
    presentationId,
    // The last address passes the service's check and the provider refuses it.
    emails: [keep('alan.secret@example.org'), keep('no.secret address'), keep('refused.secret@example.o')],
    message: keep('Nobody else may read this.'),
    subject: keep('A secret subject'),
  };
  const { sent: mails, summary } = (await post('sharePresentationViaEmail', mailed, key)).data as unknown as Shared;
  for (const { shareUrl } of mails) keep(new URL(keep(shareUrl)).searchParams.get('token')!);
  expect(summary).toEqual({ total: 3, sent: 1, failed: 2 });
  await post('cliRequestSignupOtp', { email: keep('nobody.secret@example.o') });
  await send('listEmailSends', { headers: { authorization: key } }, `/${presentationId}`);
  await post('addPresentationToken', { presentationId, tokenName: 'x' }, key).then(({ data }) => keep(data['token']!));

  // An endpoint may accept or refuse these values; it must not log them.
  const ids = { presentationId: token, tokenId: token, keyId: token };
  const wrong = { ...ids, email, code: keep('271828'), token, hashes: [token], name: email };
  for (const { name, method } of definitions) {
    const query = `?${new URLSearchParams(wrong as never).toString()}`;
    if (name === 'deckSite') await openWrongly(`/_open/${token}${query}`);
    else if ([method].flat().includes('POST')) await post(name, wrong, key);
    else await send(name, { headers: { authorization: key } }, query);
    await send(name, { method: 'OPTIONS' }, query);
    await send(name, { method: 'PUT', headers: { 'user-agent': email } }, `/${presentationId}/_t/${token}/x`);
  }
  await breakDeck(presentationId!);
  await send('getSharedPresentation', {}, `/${presentationId}/_t/${token}/`);
  await send('getSharedPresentationInfo', { headers: { authorization: key } }, `/${presentationId}`);

  service.child.kill('SIGTERM');
  ended = await service.ended;
  // The local Resend calls a function, too, and names no user agent.
  const ofTest = ({ httpRequest }: RequestLine) => httpRequest['userAgent'] !== undefined;
  lines = ended.stderr.split('\n').flatMap((text) => parseRequestLine(text) ?? []);
  lines = lines.filter((line) => line.function !== 'receiveMailEvents' || ofTest(line));
});

/** Requests an address of a deck's origin. `fetch` would ask for its own host, and again after the 421. */
async function openWrongly(target: string): Promise<void> {
  const origin = addresses.deckOrigin!.replace('*', 'a'.repeat(32));
  const { status, headers } = await requestTarget(origin, target, { headers: { ...navigation, cookie: 'a=b' } });
  sent.push({ id: String(headers['x-request-id']), name: 'deckSite', method: 'GET', status });
}

/** Requests a file and closes the connection after the first bytes. */
async function closeEarly(path: string): Promise<void> {
  const call = get(`${addresses.baseUrl}/getSharedPresentation${path}`, { agent: false });
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  const id = answer.headers['x-request-id'] as string;
  sent.push({ id, name: 'getSharedPresentation', method: 'GET', status: 200 });
  await once(answer, 'readable');
  call.destroy();
}

/** Makes a document invalid, so that the next read fails with an internal error. */
async function breakDeck(presentationId: string): Promise<void> {
  process.env['FIRESTORE_EMULATOR_HOST'] = addresses.firestoreHost;
  const app = initializeApp({ projectId: addresses.project }, 'breaker');
  const database = getFirestore(app);
  await database.doc(`presentations/${presentationId}`).update({ title: 7 });
  await database.terminate();
  await deleteApp(app);
}

const lineOf = (name: string, method: string, status: number) =>
  lines.find((line) => line.function === name && line.method === method && line.status === status)!;

test('every request has exactly one request line, with its function, status and caller', () => {
  expect(sent.length).toBeGreaterThan(3 * definitions.length);
  expect(lines).toHaveLength(sent.length);
  for (const { id, name, method, status } of each(sent)) {
    const [line, ...more] = lines.filter(({ requestId }) => requestId === id);
    expect(more).toEqual([]);
    const severity = status >= 500 ? 'ERROR' : status >= 400 ? 'WARNING' : 'INFO';
    const [aNumber, latency] = [expect.any(Number), expect.stringMatching(/^\d+(\.\d+)?s$/)];
    expect(line).toMatchObject({ message: `${status} ${method} ${name}`, function: name, method, status, severity });
    expect(line).toMatchObject({ durationMs: aNumber, databaseReads: aNumber, databaseWrites: aNumber });
    expect(line!.httpRequest).toMatchObject({ requestMethod: method, status, latency });
    expect(Boolean(line!.errorCode)).toBe(status >= 400);
    expect(Boolean(line!.stack_trace)).toBe(status >= 500);
  }
});

test('no key, share token, code, address or message is logged', () => {
  const written = ended.stdout + ended.stderr;
  for (const secret of each(secrets)) {
    // Six digits also occur inside other numbers, so a code is searched as a word.
    const isThere = secret.length === 6 ? new RegExp(`\\b${secret}\\b`).test(written) : written.includes(secret);
    expect([secret, isThere]).toEqual([secret, false]);
    expect(written).not.toContain(encodeURIComponent(secret).replace(/^\d{6}$/, 'none'));
  }
  expect(written).not.toContain('/_t/');
  expect(written).not.toContain('token=');
});

test('a request line has the id of the key and the numbers of documents read and written', () => {
  expect(lineOf('commitPresentationVersion', 'POST', 200)).toMatchObject({ keyId });
  expect(lineOf('commitPresentationVersion', 'POST', 200).databaseWrites).toBeGreaterThan(4);
  const unknown = lineOf('commitPresentationVersion', 'PUT', 405);
  expect(unknown).toMatchObject({ databaseReads: 0, databaseWrites: 0, errorCode: 'method-not-allowed' });
  expect(unknown).not.toHaveProperty('keyId');
});

test('the line of a streamed file is written after its last byte and has the number of bytes', () => {
  const streamed = lines.filter(({ function: name, method }) => name === 'getSharedPresentation' && method === 'GET');
  const sizes = streamed.map(({ httpRequest }) => Number(httpRequest['responseSize']));
  expect(sizes.filter((size) => size > FILM_BYTES)).toHaveLength(2);
});

test('an answer whose client closed the connection is marked', () => {
  const [left, ...others] = lines.filter(({ isCutOff }) => isCutOff);
  expect(left).toMatchObject({ function: 'getSharedPresentation', status: 200, severity: 'INFO' });
  expect(Number(left!.httpRequest['responseSize'])).toBeLessThan(FILM_BYTES);
  expect(others).toEqual([]);
});

test('the line of a traced request has its trace', () => {
  expect(lines.filter((line) => JSON.stringify(line).includes(TRACE_ID))).toMatchObject([
    { function: 'verifyApiKey', 'logging.googleapis.com/trace': `projects/demo-decks/traces/${TRACE_ID}` },
  ]);
});

test('an internal error is one log entry with its stack and with details that the caller does not get', () => {
  const failed = { errorCode: 'internal', stack_trace: expect.stringMatching(/title[^]*\n {4}at /) as string };
  const errors = lines.filter(({ severity }) => severity === 'ERROR');
  const names = ['getSharedPresentation', 'getSharedPresentationInfo'];
  expect(errors).toMatchObject(names.map((name) => ({ ...failed, function: name })));
});
