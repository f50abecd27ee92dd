import { request, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { openOnOrigin } from '../../support/deck-origin';
import { deviationsOf } from '../../support/documented';
import { startWorld, world } from '../../support/world';
import { operations, type Operation } from '../../support/operations';
import { words } from '../../support/words';
import { requestsOf, validRequestsOf, type WireRequest } from './requests';
import { makeScene } from './scene';

/**
 * Sends requests that are made from the API description to each n-th operation, `requests` to each. When that is every
 * operation, it also sends sequences of calls. `FUZZ_REQUESTS` sends so many to every operation. `FUZZ_SEED` repeats a
 * run.
 */
export function fuzz({ requests, nth }: { requests: number; nth: number }): void {
  const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_122);
  const asked = Number(process.env['FUZZ_REQUESTS'] ?? 0);
  const numRuns = asked || requests;
  const isOfAll = asked > 0 || nth === 1;

  jest.setTimeout(120_000 + numRuns * 2_000);

  /** How many valid requests an operation gets until one succeeds. Some combinations of valid fields are refused. */
  const VALID = 100;

  /** The operations that have answered a success. */
  const reached = new Set<string>();

  startWorld();

  /** Sends a request to a function, or to the origin of a deck. Returns what is wrong with the answer. */
  async function problemsOf({ id, endpoint }: Operation, wire: WireRequest, origin?: string): Promise<string[]> {
    const { baseUrl } = world.cloud;
    const answer = await send(origin ?? baseUrl, origin ? '' : `${new URL(baseUrl).pathname}/${endpoint}`, wire);
    if (!answer) return [];
    const { status, headers, body } = answer;
    if (status < 400) reached.add(id);
    // The host answers what is not HTTP or has another host, before it calls a function.
    const isOfHost = headers['x-request-id'] === undefined;
    if (isOfHost) return [400, 421, 431].includes(status) ? [] : [`${status} is not from the function`];
    const found = deviationsOf({ name: endpoint, method: wire.method, url: wire.url, status, headers, body });
    return [...(status >= 500 ? [`the status is ${status}`] : []), ...found];
  }

  async function demand(operation: Operation, wire: WireRequest, origin?: string): Promise<void> {
    const problems = await problemsOf(operation, wire, origin);
    const { method, url, headers, body } = wire;
    const sent = `${method} ${url.slice(0, 300)} ${JSON.stringify(headers).slice(0, 600)}\n${body?.subarray(0, 400).toString() ?? ''}`;
    if (problems.length > 0) throw new Error(`${operation.id}: ${problems.join('; ')}\nFUZZ_SEED=${seed}: ${sent}`);
  }

  /** With `FUZZ_SHRINK`, a failure is repeated with smaller and smaller requests. */
  const endOnFailure = process.env['FUZZ_SHRINK'] === undefined;
  const settings = (i: number) => ({ seed: seed + i, numRuns, endOnFailure });

  /** Whether the function succeeds only at the origin of a deck, or for a page of the site. */
  const isForBrowsers = ({ endpoint }: Operation) => /^(deckSite|dashboardSession)$/.test(endpoint);
  const numbered = operations
    .map((operation, i) => [operation.id, operation, i] as const)
    .filter(([, , i]) => isOfAll || i % nth === 0);

  test.each(numbered)('every answer of %s is described', async (_id, operation, i) => {
    const known = await makeScene(world, operation.endpoint);
    for (const wire of fc.sample(validRequestsOf(operation, known), { seed: seed + i, numRuns: VALID })) {
      await demand(operation, wire);
      if (reached.has(operation.id) || isForBrowsers(operation)) break;
    }
    expect(reached.has(operation.id)).toBe(!isForBrowsers(operation));
    const property = fc.asyncProperty(requestsOf(operation, known), (wire) => demand(operation, wire));
    await fc.assert(property, settings(i));
  });

  test.each(
    operations.filter(({ endpoint }) => endpoint === 'deckSite').map((each, i) => [each.method, each, i] as const),
  )('every answer of the origin of a deck to %s is described', async (_method, operation, i) => {
    const known = await makeScene(world, 'deckSite');
    const { origin, cookie } = await openOnOrigin(known.shareUrl[0]!);
    const url = operation.method === 'POST' ? '/_deck/seen' : '/';
    await demand(operation, { method: operation.method, url, headers: [['cookie', cookie]] }, origin);
    expect(reached).toContain(operation.id);
    const paths = fc.constantFrom(
      ...words('/ /a/two.html /a /film.mp4 /missing /_open/x /_deck/x /_deck/seen /%zz //'),
    );
    const requests = fc.tuple(paths, requestsOf(operation, known), fc.boolean()).map(([path, wire, isOpen]) => ({
      ...wire,
      url: path + wire.url,
      headers: isOpen ? [['cookie', cookie] as const, ...wire.headers] : wire.headers,
    }));
    const property = fc.asyncProperty(requests, (wire) => demand(operation, wire, origin));
    await fc.assert(property, settings(i));
  });

  /** The sockets and timers that keep the process alive. A request that has ended must not have left one. */
  const openHandles = () =>
    process.getActiveResourcesInfo().filter((type) => type === 'TCPSocketWrap' || type === 'Timeout').length;

  if (!isOfAll) return;
  test('every answer of a sequence of valid calls is described, whatever their order is', async () => {
    // They would end the credentials of the other calls.
    const isKept = ({ endpoint }: Operation) => !/^(endDashboardSession|revokeApiKey)$/.test(endpoint);
    const known = await makeScene(world, '');
    const calls = operations
      .filter(isKept)
      .map((operation) => validRequestsOf(operation, known).map((wire) => ({ operation, wire })));
    const sequences = fc.array(fc.oneof(...calls), { minLength: 4, maxLength: 10 });
    const property = fc.asyncProperty(sequences, async (sequence) => {
      for (const { operation, wire } of sequence) await demand(operation, wire);
    });
    const before = openHandles();
    await fc.assert(property, settings(0));
    // The sockets of the last requests close seconds after their answers. A look at all handles takes long.
    while (openHandles() > before) await pause(50);
  });
}

type WireAnswer = { status: number; headers: IncomingHttpHeaders; body: string };

/** Sends a request to a function. Undefined when the request was cut off by the client. */
function send(base: string, path: string, wire: WireRequest): Promise<WireAnswer | undefined> {
  const { hostname, port, host } = new URL(base);
  const headers: Record<string, string | string[]> = { host };
  for (const [name, value] of wire.headers) {
    const earlier = headers[name];
    headers[name] = earlier === undefined || name === 'host' ? value : [earlier, value].flat();
  }
  if (wire.body && !('content-length' in headers)) headers['content-length'] = String(wire.body.length);
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: path + wire.url, method: wire.method, headers, agent: false, setHost: false },
      (response) => {
        buffer(response).then(
          (bytes) => resolve({ status: response.statusCode!, headers: response.headers, body: bytes.toString() }),
          reject,
        );
        // The answer to a request that is larger than its limit comes before the client has sent the body.
        response.once('end', () => sent.destroy());
      },
    );
    sent.once('error', (error) =>
      wire.isCutOff ? resolve(undefined) : reject(new Error(`${hostname}: ${error.message}`)),
    );
    if (!wire.isCutOff) return void sent.end(wire.body);
    sent.write(wire.body?.subarray(0, wire.body.length / 2) ?? '', () => sent.destroy());
  });
}
