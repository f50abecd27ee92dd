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
import { Holds, type HeldCalls } from './held-calls';

const SERVICE = '/google.firestore.v1.Firestore/';
const asIs = (bytes: Buffer) => bytes;

const method = (name: string, responseStream: boolean): MethodDefinition<Buffer, Buffer> => ({
  path: SERVICE + name,
  requestStream: false,
  responseStream,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
});

type HeldMethod = 'BatchGetDocuments' | 'BatchWrite';

/** A proxy in front of a Firestore server that can lose answers to commits and hold calls. */
export interface LossyFirestore {
  host: string;
  /**
   * Holds the calls of a method whose messages `isChosen` accepts: the next `count` calls, or all of them without
   * `count`. A message has the bytes of the wire format, which contain the names of documents as text.
   */
  hold(method: HeldMethod, isChosen: (message: Buffer) => boolean, count?: number): HeldCalls;
  /** Answers the calls of those methods with this status, the next `count` of them or all of them. */
  refuse(code: status | undefined, methods?: readonly string[], count?: number): void;
  /** Applies the next `commits` commits and loses their answers: the client gets UNAVAILABLE. */
  loseAnswers(commits: number): void;
  close(): Promise<void>;
}

/** Passes every other call on unchanged. */
export async function startLossyFirestore(target: string): Promise<LossyFirestore> {
  const client = new Client(target, credentials.createInsecure());
  const server = new Server();
  const holds = { BatchGetDocuments: new Holds<Buffer>(), BatchWrite: new Holds<Buffer>() };
  let toLose = 0;
  let refusal: { code: status; methods: readonly string[] | undefined; left: number } | undefined;
  /** The error of a call that is refused. */
  const refusedWith = (name: string) => {
    if (!refusal || refusal.left === 0 || (refusal.methods && !refusal.methods.includes(name))) return undefined;
    refusal.left--;
    return { code: refusal.code, details: 'as planned' };
  };

  const service: Record<string, MethodDefinition<Buffer, Buffer>> = {};
  const handlers: Record<string, unknown> = {};
  for (const name of ['BatchGetDocuments', 'RunQuery', 'RunAggregationQuery']) {
    service[name] = method(name, true);
    handlers[name] = async (call: ServerWritableStream<Buffer, Buffer>) => {
      if (name === 'BatchGetDocuments') await holds[name].pass(call.request);
      if (call.cancelled) return;
      const refused = refusedWith(name);
      if (refused) return void call.emit('error', refused);
      const upstream = client.makeServerStreamRequest(
        SERVICE + name,
        asIs,
        asIs,
        call.request,
        forwarded(call.metadata),
      );
      upstream.on('data', (message: Buffer) => call.write(message));
      upstream.on('error', (error) => call.emit('error', error));
      upstream.on('end', () => call.end());
    };
  }
  for (const name of ['Commit', 'BeginTransaction', 'Rollback', 'BatchWrite', 'ListCollectionIds']) {
    service[name] = method(name, false);
    handlers[name] = async (call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>) => {
      if (name === 'BatchWrite') await holds[name].pass(call.request);
      if (call.cancelled) return;
      const refused = refusedWith(name);
      if (refused) return reply(refused);
      client.makeUnaryRequest(SERVICE + name, asIs, asIs, call.request, forwarded(call.metadata), (error, answer) => {
        if (!error && name === 'Commit' && toLose > 0) {
          toLose--;
          reply({ code: status.UNAVAILABLE, details: 'the connection was lost' });
        } else reply(error, answer);
      });
    };
  }
  server.addService(service, handlers as never);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return {
    host: `127.0.0.1:${port}`,
    hold: (of, isChosen, count) => holds[of].hold(isChosen, count),
    refuse: (code, methods, count = Infinity) =>
      void (refusal = code === undefined ? undefined : { code, methods, left: count }),
    loseAnswers: (commits) => void (toLose = commits),
    close: async () => {
      server.forceShutdown();
      client.close();
    },
  };
}

/** The headers that name the project and the database of a call. */
function forwarded(metadata: Metadata): Metadata {
  const kept = new Metadata();
  for (const name of ['google-cloud-resource-prefix', 'x-goog-request-params', 'authorization']) {
    for (const value of metadata.get(name)) kept.add(name, value);
  }
  return kept;
}
