import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import type * as Client from '../../../functions/src/records/firestore/client';
import type * as Sdk from '../../../functions/src/records/sdk';
import { firestoreFixture, PROJECT } from '../../local/firestore/fixture';
import { listen, upstreamOf } from '../../support/sockets';

/** A proxy breaks what the database sends to the small client. The Admin SDK takes over for the life of the instance. */

process.env['GCLOUD_PROJECT'] = PROJECT;
const fixture = firestoreFixture();
const warnings = jest.spyOn(console, 'warn').mockImplementation();

/** What the proxy does with the bytes of the database on the first connection. The next ones are left alone. */
type Break = (client: Socket, upstream: Socket) => void;
let onFirst: Break;
let connections = 0;
const proxy = createServer((client) => {
  const upstream = upstreamOf(client, fixture.server.port);
  client.pipe(upstream);
  if (connections++ === 0) onFirst(client, upstream);
  else upstream.pipe(client);
});

beforeAll(async () => (process.env['FIRESTORE_EMULATOR_HOST'] = `127.0.0.1:${await listen(proxy)}`));
beforeEach(() => void warnings.mockClear());
afterAll(() => proxy.close());

/** Runs work with the modules of a new instance. */
const onInstance = (work: (client: typeof Client) => Promise<void>) =>
  jest.isolateModulesAsync(async () => {
    connections = 0;
    const { db } = jest.requireActual<typeof Sdk>('../../../functions/src/records/sdk');
    await work(jest.requireActual<typeof Client>('../../../functions/src/records/firestore/client'));
    await db().terminate();
  });

/** HTTP/1.1 where frames of HTTP/2 are expected. */
const otherProtocol: Break = (client) => void client.write('HTTP/1.1 400 Bad Request\r\n\r\n');
/** A frame with the headers of a request, in place of an answer. */
const wrongFrame: Break = (client, upstream) => {
  upstream.once('data', (settings: Buffer) => {
    client.write(settings);
    upstream.on('data', () => client.write(Buffer.from('0000050104000000018282828282', 'hex')));
  });
};

test.each([
  ['another protocol', otherProtocol],
  ['a wrong frame', wrongFrame],
])('after %s the SDK reads and commits, and the log says so once', async (_name, each) => {
  onFirst = each;
  const path = `client/${randomUUID()}`;
  await fixture.db.doc(path).set({ n: 1 });
  await onInstance(async ({ getDocuments, commitDocuments }) => {
    expect((await getDocuments([path])).get(path)).toEqual({ n: 1 });
    await commitDocuments([{ path, fields: { n: 2 } }]);
    expect((await getDocuments([path])).get(path)).toEqual({ n: 2 });
  });
  const lines = warnings.mock.calls.flat().filter((line) => /replaced by the Admin SDK/.test(String(line)));
  expect(lines).toHaveLength(1);
});

test('a commit that may have been applied is not made again by the SDK', async () => {
  onFirst = wrongFrame;
  const path = `client/${randomUUID()}`;
  await fixture.db.doc(path).set({ n: 0 });
  await onInstance(async ({ commitDocuments }) => {
    const count = () => commitDocuments([{ path, fields: {}, increments: { n: 1 }, isMerge: true }]);
    await expect(count()).rejects.toMatchObject({ code: 13 });
    await count();
  });
  const { n } = (await fixture.db.doc(path).get()).data()!;
  // The proxy does not tell whether the first commit was applied.
  expect([1, 2]).toContain(n);
});
