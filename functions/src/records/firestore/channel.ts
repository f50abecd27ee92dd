import type { OutgoingHttpHeaders } from 'node:http2';
import { config } from '../../config';
import { BackendTimeout, MAX_TRIES, pauseAfter, withinAttempt } from '../../deadlines';
import { googleHeaders } from '../../google-credentials';
import { logWarning } from '../../log';
import { Connection, type Call } from './connection';
import { GrpcError, ProtocolError, status } from './status';

const SERVICE = '/google.firestore.v1.Firestore/';

/** The full name of the database. */
export const databaseName = (): string => `projects/${config.projectId()}/databases/${config.databaseId()}`;

/** The connection for new calls, or undefined when it could not be opened. All calls share it. */
let opening: Promise<Connection | undefined> | undefined;
/** Attempts in a row that did not open a connection. */
let failures = 0;

/**
 * Opens a connection, after a pause when the last attempt failed. An emulator has no certificate. Rejects with
 * `ProtocolError` when the server does not speak HTTP/2.
 */
async function open(): Promise<Connection | undefined> {
  if (failures > 0) await pauseAfter(Math.min(failures, 4));
  const emulator = config.firestoreEmulator();
  const attemptMs = config.attemptTimeoutMs();
  try {
    const connection = await Connection.open(emulator ? `http://${emulator}` : 'https://firestore.googleapis.com', {
      connectMs: 0.5 * attemptMs,
      // A silent connection is given up before the end of a call, so that its last attempt has another connection.
      keepaliveMs: attemptMs,
      pingMs: 0.5 * attemptMs,
    });
    failures = 0;
    return connection;
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    logWarning('The database could not be reached.', error);
    failures++;
    return undefined;
  }
}

/** A connection that takes calls. Waits for it until `signal` is aborted, and rejects then. */
async function usableConnection(signal: AbortSignal): Promise<Connection> {
  for (;;) {
    const current = (opening ??= open());
    const connection = await current;
    // The call may have been given up while the connection was opened.
    signal.throwIfAborted();
    if (connection?.isUsable) return connection;
    // Another call may have begun to open the next one.
    if (opening === current) opening = undefined;
  }
}

/** The headers of a call. An emulator accepts this token as that of the service account. */
async function headers(): Promise<OutgoingHttpHeaders> {
  const authorized = config.firestoreEmulator()
    ? { authorization: 'Bearer owner' }
    : Object.fromEntries(await googleHeaders());
  const database = databaseName();
  return {
    ...authorized,
    'google-cloud-resource-prefix': database,
    'x-goog-request-params': `database=${encodeURIComponent(database)}`,
  };
}

/**
 * One attempt of a call with one answer, in the time of an attempt. Rejects with the gRPC status of the database, or
 * with `BackendTimeout`. A call that `signal` ends before it is sent is not sent.
 */
export async function callOnce(method: 'Commit', message: Buffer, signal: AbortSignal): Promise<Buffer> {
  // The database gets the deadline too, so it does not begin a commit that the service has given up.
  const deadline = { 'grpc-timeout': `${config.attemptTimeoutMs()}m` };
  const answers: Buffer[] = [];
  const receive = (answer: Buffer) => answers.push(answer);
  const abort = new AbortController();
  const giveUp = () => abort.abort();
  signal.throwIfAborted();
  signal.addEventListener('abort', giveUp);
  try {
    const call = { message, signal: abort.signal, receive };
    await withinAttempt('Firestore', () => attempt(method, deadline, call), Infinity);
  } catch (error) {
    giveUp();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
  if (answers.length !== 1) throw new ProtocolError(`The database sent ${answers.length} answers.`);
  return answers[0]!;
}

/**
 * One attempt of a call with several answers, which `receive` gets one by one. Rejects like `callOnce`, and with
 * `ProtocolError` when `receive` throws. Only `signal` limits its time.
 */
export function callStream(
  method: 'BatchGetDocuments',
  message: Buffer,
  signal: AbortSignal,
  receive: (answer: Buffer) => void,
): Promise<void> {
  return attempt(method, {}, { message, signal, receive });
}

/** Makes a call. Makes it again, at most twice, when the server has not begun it: only then it is safe for a commit. */
async function attempt(
  method: string,
  limits: OutgoingHttpHeaders,
  call: Omit<Call, 'path' | 'headers'>,
): Promise<void> {
  const sent = { ...call, path: SERVICE + method, headers: { ...(await headers()), ...limits } };
  for (let number = 1; ; number++) {
    const connection = await usableConnection(call.signal);
    try {
      return await connection.call(sent);
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
      if (isUnanswered(error)) throw new BackendTimeout('Firestore');
      if (!error.isUnprocessed || number === MAX_TRIES) throw error;
    }
  }
}

const isUnanswered = ({ code }: GrpcError) => code === status.deadlineExceeded || code === status.cancelled;
