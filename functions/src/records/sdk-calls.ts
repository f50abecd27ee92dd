import { AsyncResource } from 'node:async_hooks';
import type { CallProperties, InterceptingCall, Interceptor, StatusObject } from '@grpc/grpc-js';
import type * as Grpc from '@grpc/grpc-js';
import type { BulkWriter } from 'firebase-admin/firestore';
import { config } from '../config';
import { currentContext, type Trail } from '../context';
import { callMs } from '../deadlines';

/** The fields of a request that matter here. */
interface Sent {
  writes?: readonly unknown[];
  newTransaction?: object;
}

/** The fields of an answer by which a document is billed. */
interface Answer {
  document?: object | null;
  found?: object | null;
  missing?: string | null;
}

type Call = CallProperties<Sent, unknown>;

/** The codes of gRPC. */
const OK = 0;
const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;

const TOO_LATE = 'Firestore did not answer in time.';

/** The client is replaced after this many attempts in a row without an answer. */
const UNANSWERED_ATTEMPTS = 3;

/**
 * When the calls that run end, in the milliseconds of `performance.now`. The library sends the same message when it
 * repeats a call.
 */
const endOfCalls = new WeakMap<object, number>();

/**
 * The settings of the Admin SDK's client: for its connection, and a function of grpc-js that sees each attempt of each
 * call. An attempt ends in its time, in that of its call and in that of its request, and the documents that it reads
 * and writes are counted for the request as they are billed. `giveUp` is called when the client gets no answers any
 * more.
 */
export function sdkSettings(giveUp: () => void) {
  const attemptMs = config.attemptTimeoutMs();
  let unanswered = 0;
  const noteEnd = (isAnswered: boolean) => {
    unanswered = isAnswered ? 0 : unanswered + 1;
    if (unanswered === UNANSWERED_ATTEMPTS) giveUp();
  };
  return {
    ignoreUndefinedProperties: true,
    'grpc.callInvocationTransformer': (call: Call) => limited(call, noteEnd),
    // A connection without answers is given up before the end of a call, so that the next call opens another.
    'grpc.keepalive_time_ms': 1.5 * attemptMs,
    'grpc.keepalive_timeout_ms': 0.5 * attemptMs,
    // A new client does not wait for the connection of the client that was given up.
    'grpc.use_local_subchannel_pool': 1,
    // By default an instance waits up to two minutes before it connects again.
    'grpc.initial_reconnect_backoff_ms': config.retryPauseMs(),
    'grpc.max_reconnect_backoff_ms': 10 * config.retryPauseMs(),
  };
}

/** Limits the time of an attempt, and counts what it reads and writes. */
function limited(call: Call, noteEnd: (isAnswered: boolean) => void): Call {
  const { argument = {}, methodDefinition, callOptions } = call;
  const method = methodDefinition.path.slice(methodDefinition.path.lastIndexOf('/') + 1);
  const { trail } = currentContext() ?? {};
  // A listener has no end. The library opens a new one in its place when it fails.
  if (method === 'Listen') return call;
  const attemptMs = config.attemptTimeoutMs();
  // A rollback frees the locks of a transaction, also when the time of its request is over.
  const endsAt = method === 'Rollback' ? Infinity : endOf(argument);
  const leftMs = endsAt - performance.now();
  // The id of a new transaction comes with the answer. Without it the transaction would keep its locks for a minute, so
  // an attempt that begins one in time gets all of its time. The SDK then ends the transaction.
  const ms = leftMs > 0 && argument.newTransaction ? attemptMs : Math.min(attemptMs, leftMs);
  const { interceptors = [] } = callOptions;
  if (ms <= 0) return { ...call, callOptions: { ...callOptions, interceptors: [...interceptors, unsent] } };
  let found = 0;
  const interceptor = listening(
    (answer) => {
      if (answer?.document || answer?.found || answer?.missing) found++;
    },
    (status) => {
      const code: number = status.code;
      if (ms === attemptMs) noteEnd(code !== DEADLINE_EXCEEDED);
      if (code === OK && trail) bill(trail, method, argument, found);
      // The library repeats a call after DEADLINE_EXCEEDED. After CANCELLED it does not.
      const isOver = code === DEADLINE_EXCEEDED && performance.now() >= endsAt;
      return isOver ? { ...status, code: CANCELLED, details: TOO_LATE } : status;
    },
  );
  const deadline = Math.min(Number(callOptions.deadline ?? Infinity), Date.now() + ms);
  return { ...call, callOptions: { ...callOptions, deadline, interceptors: [...interceptors, interceptor] } };
}

function endOf(argument: object): number {
  const endsAt = endOfCalls.get(argument) ?? performance.now() + callMs();
  endOfCalls.set(argument, endsAt);
  return endsAt;
}

/**
 * Firestore bills a query without results, a count and a list of collections as one read. `countedWriter` counts the
 * writes of a batch without a transaction: each of them may fail alone.
 */
function bill(trail: Trail, method: string, { writes }: Sent, found: number): void {
  const isList = method === 'RunQuery' || method === 'RunAggregationQuery' || method === 'ListCollectionIds';
  trail.databaseReads += isList ? Math.max(found, 1) : found;
  if (method !== 'BatchWrite') trail.databaseWrites += writes?.length ?? 0;
}

/** Counts what the writer writes for the current request. */
export function countedWriter(writer: BulkWriter): BulkWriter {
  const { trail } = currentContext() ?? {};
  if (trail) writer.onWriteResult(() => void trail.databaseWrites++);
  return writer;
}

let loaded: typeof Grpc | undefined;
/** Loaded at the first call, because a function that serves views never needs it. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
const grpc = (): typeof Grpc => (loaded ??= require('@grpc/grpc-js') as typeof Grpc);

/**
 * An interceptor that ends each call before it is sent. A deadline in the past does not do that: grpc-js also sends a
 * call that ended while it was started (https://github.com/grpc/grpc-node/issues/1636). The database may apply it.
 */
const unsent: Interceptor = (options, nextCall) => {
  const call = nextCall(options);
  call.cancelWithStatus(CANCELLED, TOO_LATE);
  return new (grpc().InterceptingCall)(call);
};

/**
 * An interceptor that sees each message of an answer, null for none, and may replace the status. Answers arrive on a
 * connection that an earlier request may have opened. The library must go on in the context of the call: it sends other
 * calls when an answer arrives, and the time of the earlier request may be over.
 */
function listening(
  onMessage: (message: Answer | null) => void,
  onStatus: (status: StatusObject) => StatusObject,
): Interceptor {
  const { InterceptingCall: Intercepting } = grpc();
  const inContext = AsyncResource.bind((work: () => void) => work());
  return (options, nextCall): InterceptingCall =>
    new Intercepting(nextCall(options), {
      start: (metadata, _listener, next) =>
        next(metadata, {
          onReceiveMetadata: (received, pass) => inContext(() => pass(received)),
          onReceiveMessage: (message: Answer | null, pass) => {
            onMessage(message);
            inContext(() => pass(message));
          },
          onReceiveStatus: (status, pass) => inContext(() => pass(onStatus(status))),
        }),
    });
}
