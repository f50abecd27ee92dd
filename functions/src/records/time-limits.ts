import type { EventEmitter } from 'node:events';
import type { Firestore } from 'firebase-admin/firestore';
import { config } from '../config';
import { currentContext } from '../context';
import { BackendTimeout, callMs, pauseAfter, withinAttempt, withinCall } from '../deadlines';
import { isContention } from './refusals';

/**
 * The methods that the service calls, with what the client library repeats: reads after each transient error, and
 * writes only when the database refused them. `transact` repeats the transaction of a commit whose answer was lost.
 */
const methods = [
  'BatchGetDocuments',
  'RunQuery',
  'RunAggregationQuery',
  'ListDocuments',
  'ListCollectionIds',
  'BeginTransaction',
  'Rollback',
  'Commit',
  'BatchWrite',
];

/** The settings of the client library that limit how long it waits. */
export function timeSettings() {
  return {
    clientConfig: clientConfig(),
    ...channelOptions(),
  };
}

/** The settings of a connection to the database. */
export function channelOptions() {
  return {
    // A connection without answers is given up before the end of a call, so that the next call opens another.
    'grpc.keepalive_time_ms': 1.5 * config.attemptTimeoutMs(),
    'grpc.keepalive_timeout_ms': 0.5 * config.attemptTimeoutMs(),
    // A new client does not wait for the connection of the client that was given up.
    'grpc.use_local_subchannel_pool': 1,
    // By default an instance waits up to two minutes before it connects again.
    'grpc.initial_reconnect_backoff_ms': config.retryPauseMs(),
    'grpc.max_reconnect_backoff_ms': 10 * config.retryPauseMs(),
  };
}

/**
 * The time limits and pauses of the calls, in the form of the library's own configuration file. The codes that it
 * repeats stay its own.
 */
function clientConfig() {
  // `transact` starts no commit in the second half of its time, so no commit is applied after the answer. The library
  // takes the time of an attempt as the time of all attempts of a call together.
  const attemptMs = Math.min(config.attemptTimeoutMs(), 0.5 * config.callTimeoutMs());
  const bounded = {
    initial_retry_delay_millis: config.retryPauseMs(),
    retry_delay_multiplier: 2,
    max_retry_delay_millis: 10 * config.retryPauseMs(),
    initial_rpc_timeout_millis: attemptMs,
    rpc_timeout_multiplier: 1,
    max_rpc_timeout_millis: attemptMs,
    total_timeout_millis: attemptMs,
  };
  const limits = { timeout_millis: attemptMs, retry_params_name: 'bounded' };
  return {
    interfaces: {
      'google.firestore.v1.Firestore': {
        retry_params: { bounded },
        methods: Object.fromEntries(methods.map((method) => [method, limits])),
      },
    },
  };
}

type UnreadStream = EventEmitter & { destroy(): void; resume(): void };

/**
 * The two methods of the client through which all of its calls are made; see `countUsage`. Its own settings limit the
 * attempts of a call, but not the pauses between the attempts of a read, and not the request.
 */
interface ClientMethods {
  request(method: string, sent: unknown, tag: string, retryCodes?: readonly number[]): Promise<unknown>;
  requestStream(...call: unknown[]): Promise<UnreadStream>;
  readonly formattedName: string;
}

/** The client is given up after this many calls in a row without an answer. */
const UNANSWERED_CALLS = 3;

/**
 * Makes every call of the client end in the time of a call and of its request. Returns the same client. `giveUp` is
 * called when the client gets no answers any more: its library waits without a limit for a connection that was opened
 * and stays silent, also after the network works again.
 */
export function limitTime(database: Firestore, giveUp: () => void): Firestore {
  const methods = database as unknown as ClientMethods;
  const request = methods.request.bind(database);
  const requestStream = methods.requestStream.bind(database);
  let unanswered = 0;
  const limited = async <T>(work: () => Promise<T>): Promise<T> => {
    const isMade = callMs() > 0;
    try {
      const answer = await withinCall('Firestore', work);
      unanswered = 0;
      return answer;
    } catch (error) {
      if (!(error instanceof BackendTimeout)) unanswered = 0;
      else if (isMade && ++unanswered === UNANSWERED_CALLS) giveUp();
      throw error;
    }
  };
  // With `retryCodes` the library would repeat a write for 10 minutes, long after its call was given up.
  methods.request = (method, sent, tag, retryCodes = []) => {
    // A rollback frees the locks of a transaction, also when the time of its request is over.
    if (method === 'rollback') return withinAttempt('Firestore', () => request(method, sent, tag), Infinity);
    const call = () => request(method, sent, tag);
    return limited(() => (retryCodes.includes(ABORTED) ? repeatAborted(call) : call()));
  };
  const rollBack = (transaction: Uint8Array) => {
    const sent = { database: methods.formattedName, transaction };
    methods.request('rollback', sent, 'unread').catch(() => {});
  };
  methods.requestStream = async (...call) => {
    const opening = requestStream(...call);
    try {
      return await limited(() => opening);
    } catch (error) {
      void opening.then(
        (stream) => endUnread(stream, rollBack),
        () => {},
      );
      throw error;
    }
  };
  return database;
}

/**
 * Ends a stream that was opened too late and has no reader. Its error would end the process. The transaction that it
 * began would keep its locks for a minute, because the library did not receive the transaction's id.
 */
function endUnread(stream: UnreadStream, rollBack: (transaction: Uint8Array) => void): void {
  stream.on('error', () => {});
  stream.once('data', ({ transaction }: { transaction?: Uint8Array }) => {
    stream.destroy();
    if (transaction?.length) rollBack(transaction);
  });
  // The library returns a stream with its first message, paused. The time limit of the attempt ends a silent call
  // before.
  stream.resume();
}

/** The gRPC code of a write that met the lock of a transaction. The database has not applied the write. */
const ABORTED = 10;

/** Repeats a write that met a lock, in the first half of the time of a call, as `transact` does. */
export async function repeatAborted<T>(work: () => Promise<T>, context = currentContext()): Promise<T> {
  const lastAt = performance.now() + callMs(context) / 2;
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isContention(error) || performance.now() > lastAt) throw error;
      await pauseAfter(Math.min(tries, 4), config.retryPauseMs() / 5);
    }
  }
}
