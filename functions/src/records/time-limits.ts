import type { Firestore } from 'firebase-admin/firestore';
import { config } from '../config';
import { withinAttempt, withinCall } from '../deadlines';

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

/**
 * The time limits and pauses of the client library, in the form of its own configuration file. The codes that it
 * repeats stay its own.
 */
export function clientConfig() {
  const attemptMs = config.attemptTimeoutMs();
  const bounded = {
    initial_retry_delay_millis: config.retryPauseMs(),
    retry_delay_multiplier: 2,
    max_retry_delay_millis: config.callTimeoutMs(),
    initial_rpc_timeout_millis: attemptMs,
    rpc_timeout_multiplier: 1,
    max_rpc_timeout_millis: attemptMs,
    total_timeout_millis: config.callTimeoutMs(),
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

/**
 * The two methods of the client through which all of its calls are made; see `countUsage`. Its own settings limit the
 * attempts of a call, but not the pauses between the attempts of a read, and not the request.
 */
interface ClientMethods {
  request(...call: unknown[]): Promise<unknown>;
  requestStream(...call: unknown[]): Promise<unknown>;
}

/**
 * Makes every call of the client end in the time of a call and of its request, and a rollback in the time of an attempt.
 * Returns the same client.
 */
export function limitTime(database: Firestore): Firestore {
  const methods = database as unknown as ClientMethods;
  const request = methods.request.bind(database);
  const requestStream = methods.requestStream.bind(database);
  methods.request = (...call) => {
    // A rollback frees the locks of a transaction, also when the time of its request is over.
    const isRollback = call[0] === 'rollback';
    return isRollback
      ? withinAttempt('Firestore', () => request(...call), Infinity)
      : withinCall('Firestore', () => request(...call));
  };
  methods.requestStream = (...call) => withinCall('Firestore', () => requestStream(...call));
  return database;
}
