import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  status,
  type MethodDefinition,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { createServer } from 'node:net';
import { Holds, type HeldCalls } from './held-calls';
import { listen } from './sockets';

const SERVICE = '/google.firestore.v1.Firestore/';
const asIs = (bytes: Buffer) => bytes;

/** A method of Firestore whose messages stay bytes. */
export const rawMethod = (name: string, responseStream: boolean): MethodDefinition<Buffer, Buffer> => ({
  path: SERVICE + name,
  requestStream: false,
  responseStream,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
});

type HeldMethod = 'BatchGetDocuments' | 'BatchWrite' | 'Commit';
type Chosen = (message: Buffer) => boolean;

/** A proxy in front of a Firestore server that can lose or change answers and hold calls. */
export interface LossyFirestore {
  host: string;
  /** Changes the answers of reads and queries. The headers of the call tell which client made it. */
  change: (answer: Buffer, headers: Metadata) => Buffer;
  /**
   * Holds the calls of a method whose messages `isChosen` accepts: the next `count` calls, or all of them without
   * `count`. A message has the bytes of the wire format, which contain the names of documents as text.
   */
  hold(method: HeldMethod, isChosen: Chosen, count?: number): HeldCalls;
  /**
   * Answers the calls of those methods with this status, the next `count` of them or all of them. With `isChosen` only
   * those whose messages it accepts.
   */
  refuse(code: status | undefined, methods?: readonly string[], count?: number, isChosen?: Chosen): void;
  /** Applies the next `commits` commits and loses their answers: the client gets UNAVAILABLE. */
  loseAnswers(commits: number): void;
  close(): Promise<void>;
}

/**
 * Passes every other call on unchanged. Each connection of a client has its own connection to the server, so the server
 * sees that a client has closed its connection or has given a call up.
 */
export async function startLossyFirestore(target: string): Promise<LossyFirestore> {
  const clients = new Map<string, Client>();
  const clientFor = (peer: string): Client => {
    const known = clients.get(peer);
    if (known) return known;
    const client = new Client(target, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
    clients.set(peer, client);
    return client;
  };
  const server = new Server();
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const listener = createServer((socket) => {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    socket.once('close', () => {
      clients.get(peer)?.close();
      clients.delete(peer);
    });
    injector.injectConnection(socket);
  });
  const [BatchGetDocuments, BatchWrite, Commit] = [new Holds<Buffer>(), new Holds<Buffer>(), new Holds<Buffer>()];
  const holds = { BatchGetDocuments, BatchWrite, Commit };
  let toLose = 0;
  type Refusal = { code: status; methods?: readonly string[] | undefined; left: number; isChosen: Chosen };
  let refusal: Refusal | undefined;
  /** The error of a call that is refused. */
  const refusedWith = (name: string, message: Buffer) => {
    if (!refusal || refusal.left === 0 || (refusal.methods && !refusal.methods.includes(name))) return undefined;
    if (!refusal.isChosen(message)) return undefined;
    refusal.left--;
    return { code: refusal.code, details: 'as planned' };
  };

  const service: Record<string, MethodDefinition<Buffer, Buffer>> = {};
  const handlers: Record<string, unknown> = {};
  for (const name of ['BatchGetDocuments', 'RunQuery', 'RunAggregationQuery']) {
    service[name] = rawMethod(name, true);
    handlers[name] = async (call: ServerWritableStream<Buffer, Buffer>) => {
      if (name === 'BatchGetDocuments') await holds[name].pass(call.request);
      if (call.cancelled) return;
      const refused = refusedWith(name, call.request);
      if (refused) return void call.emit('error', refused);
      const [client, metadata] = [clientFor(call.getPeer()), forwarded(call.metadata)];
      const upstream = client.makeServerStreamRequest(SERVICE + name, asIs, asIs, call.request, metadata);
      call.once('cancelled', () => upstream.cancel());
      upstream.on('data', (message: Buffer) => call.write(network.change(message, call.metadata)));
      upstream.on('error', (error) => call.emit('error', error));
      upstream.on('end', () => call.end());
    };
  }
  for (const name of ['Commit', 'BeginTransaction', 'Rollback', 'BatchWrite', 'ListCollectionIds']) {
    service[name] = rawMethod(name, false);
    handlers[name] = async (call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>) => {
      if (name === 'BatchWrite' || name === 'Commit') await holds[name].pass(call.request);
      // A rollback whose time is over frees locks all the same.
      const isCancellable = name !== 'Rollback';
      if (call.cancelled && isCancellable) return;
      const refused = refusedWith(name, call.request);
      if (refused) return reply(refused);
      const client = clientFor(call.getPeer());
      const metadata = forwarded(call.metadata);
      const upstream = client.makeUnaryRequest(SERVICE + name, asIs, asIs, call.request, metadata, (error, answer) => {
        if (!error && name === 'Commit' && toLose > 0) {
          toLose--;
          reply({ code: status.UNAVAILABLE, details: 'the connection was lost' });
        } else reply(error, answer);
      });
      if (isCancellable) call.once('cancelled', () => upstream.cancel());
    };
  }
  server.addService(service, handlers as never);
  const network: LossyFirestore = {
    host: `127.0.0.1:${await listen(listener)}`,
    change: asIs,
    hold: (of, isChosen, count) => holds[of].hold(isChosen, count),
    refuse: (code, methods, count = Infinity, isChosen = () => true) =>
      void (refusal = code === undefined ? undefined : { code, methods, left: count, isChosen }),
    loseAnswers: (commits) => void (toLose = commits),
    close: async () => {
      server.forceShutdown();
      listener.close();
      for (const client of clients.values()) client.close();
    },
  };
  return network;
}

/** The headers that name the project and the database of a call. */
function forwarded(metadata: Metadata): Metadata {
  const kept = new Metadata();
  for (const name of ['google-cloud-resource-prefix', 'x-goog-request-params', 'authorization']) {
    for (const value of metadata.get(name)) kept.add(name, value);
  }
  return kept;
}
