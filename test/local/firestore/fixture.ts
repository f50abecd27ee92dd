import { once } from 'node:events';
import { connect as connectTo, createServer, type AddressInfo, type Socket } from 'node:net';
import { Firestore } from 'firebase-admin/firestore';
import { type FirestoreServer, type IndexFile, startFirestore } from '../../../local/firestore';
import { aFolder } from '../folders';

export const PROJECT = 'demo-decks';

/** The real client for a server at `host`. */
export function connect(host: string): Firestore {
  process.env.FIRESTORE_EMULATOR_HOST = host;
  return new Firestore({ projectId: PROJECT });
}

/** A client with a connection that no other client shares. `die` ends the connection as a killed process does. */
export async function anotherClient(port: number): Promise<{ db: Firestore; die: () => void }> {
  const sockets: Socket[] = [];
  const relay = createServer((socket) => {
    const onward = connectTo(port, '127.0.0.1');
    sockets.push(socket, onward);
    socket.on('error', () => {}).pipe(onward);
    onward.on('error', () => {}).pipe(socket);
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  const die = () => {
    relay.close();
    for (const socket of sockets) socket.destroy();
  };
  return { db: connect(`127.0.0.1:${(relay.address() as AddressInfo).port}`), die };
}

export type FirestoreFixture = { db: Firestore; server: FirestoreServer };

/** A server for a folder and a client. `stop` ends both. */
export async function startFixture(dataDir: string, indexes?: IndexFile) {
  const server = await startFirestore({ dataDir, ...(indexes && { indexes }) });
  const db = connect(`127.0.0.1:${server.port}`);
  const stop = async () => {
    await db.terminate();
    await server.close();
  };
  return { db, server, stop };
}

/** The same with an empty folder, from before the first test of a file until after the last one. */
export function firestoreFixture(indexes?: IndexFile): FirestoreFixture {
  const fixture = {} as Awaited<ReturnType<typeof startFixture>>;
  beforeAll(async () => void Object.assign(fixture, await startFixture(aFolder(), indexes)));
  afterAll(() => fixture.stop());
  return fixture;
}

/** The gRPC code with which a promise rejects, undefined when it resolves. */
export const codeOf = (promise: Promise<unknown>): Promise<number | undefined> =>
  promise.then(() => undefined).catch((error: { code?: number }) => error.code);

export const messageOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(() => 'no error').catch((error: Error) => error.message);

/** A promise and the function that resolves it. Tests use it to stop a transaction at a certain point. */
export function gate(): { open: () => void; opened: Promise<void> } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

export const code = {
  cancelled: 1,
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  failedPrecondition: 9,
  aborted: 10,
};
