import { AsyncLocalStorage } from 'node:async_hooks';

/** The field by which Cloud Logging finds the trace of a line. */
export const TRACE = 'logging.googleapis.com/trace';

/** The fields of a request's log line, collected while the request is served. */
export interface Trail {
  function: string;
  requestId: string;
  /** The name of the platform's trace of the request. */
  [TRACE]?: string;
  /** The id of the key or session, never the key. */
  keyId?: string;
  errorCode?: string;
  /** The cause of a 5xx, which the caller does not see. It makes the line an ERROR with a stack. */
  fault?: unknown;
  /** Documents read and written, as Firestore bills them. */
  databaseReads: number;
  databaseWrites: number;
}

/** Who makes a request: a user, or a program with the key of a user. */
export interface Doer {
  organizationId: string;
  userId: string;
  key?: { keyId: string; name: string } | undefined;
}

/** The request or the run of a job for which the service works. */
export interface Context {
  /** Undefined for a job, which writes its own log line. */
  trail: Trail | undefined;
  /** When its work must stop waiting for backends, in the milliseconds of `performance.now`. */
  endsAt: number;
  /** Undefined before the caller is known, for a caller without an organization, and for a job. */
  doer?: Doer | undefined;
}

export type RequestContext = Context & { trail: Trail };

/**
 * Functions that serve viewers pass the context on, as the first parameter of what they call: while an
 * `AsyncLocalStorage` is in use, each promise of the process costs more, which is half of a request on Node 20. All
 * other code gets at it with `currentContext`.
 */
const contexts = new AsyncLocalStorage<Context>();

/** The context of the running work. Undefined outside of `runIn`. */
export const currentContext = (): Context | undefined => contexts.getStore();

/** Runs work for a request or a job. */
export const runIn = <T>(context: Context, work: () => Promise<T>): Promise<T> => contexts.run(context, work);

/** Runs work that outlives the request that begins it: neither the time nor the log line of the request is for it. */
export const runApart = <T>(work: () => Promise<T>): Promise<T> => runIn({ trail: undefined, endsAt: Infinity }, work);
