import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { config } from '../../config';
import { BackendTimeout } from '../../deadlines';
import { googleHeaders } from '../../google-credentials';
import { logWarning } from '../../log';
import { channelOptions } from '../time-limits';

/** The connection is given up after this many attempts in a row without an answer. */
const UNANSWERED_ATTEMPTS = 3;

const SERVICE = '/google.firestore.v1.Firestore/';
const asIs = (bytes: Buffer): Buffer => bytes;

/** A connection to the database. */
interface Connection {
  client: Client;
  /** Attempts that have not ended. */
  running: number;
  /** Attempts in a row that waited for their whole time without an answer. */
  unanswered: number;
}

let current: Connection | undefined;

/** The full name of the database. */
export const databaseName = (): string => `projects/${config.projectId()}/databases/(default)`;

/** The connection for new calls. The first call opens it. An emulator has no certificate. */
function openConnection(): Connection {
  if (current) return current;
  const emulator = process.env['FIRESTORE_EMULATOR_HOST'];
  const secured = emulator ? credentials.createInsecure() : credentials.createSsl();
  const client = new Client(emulator ?? 'firestore.googleapis.com:443', secured, {
    // The library accepts answers of 4 MB by default. A read of large documents has more.
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
    ...channelOptions(),
  });
  return (current = { client, running: 0, unanswered: 0 });
}

/** The headers of a call. A call waits for the connection, so an error tells that the database may have received it. */
async function headers(): Promise<Metadata> {
  const metadata = new Metadata({ waitForReady: true });
  metadata.set('google-cloud-resource-prefix', databaseName());
  metadata.set('x-goog-request-params', `database=${encodeURIComponent(databaseName())}`);
  // An emulator accepts this token as that of the service account.
  if (process.env['FIRESTORE_EMULATOR_HOST']) metadata.set('authorization', 'Bearer owner');
  else (await googleHeaders()).forEach((value, name) => metadata.set(name, value));
  return metadata;
}

/**
 * One attempt of a call with one answer, in the time of an attempt. Rejects with the gRPC status of the database, or with
 * `BackendTimeout`. A call that `signal` ends before it is sent is not sent.
 */
export function callOnce(method: 'Commit', message: Buffer, signal: AbortSignal): Promise<Buffer> {
  return attempt(signal, (client, metadata, resolve, reject) => {
    // The database gets the deadline too, so it does not begin a commit that the service has given up.
    const limits = { deadline: Date.now() + config.attemptTimeoutMs() };
    return client.makeUnaryRequest(SERVICE + method, asIs, asIs, message, metadata, limits, (error, answer) =>
      error ? reject(error) : resolve(answer!),
    );
  });
}

/**
 * One attempt of a call with several answers, which `receive` gets one by one. Rejects like `callOnce`, and with INTERNAL
 * when `parse` throws. Only `signal` limits its time.
 */
export function callStream<Answer>(
  method: 'BatchGetDocuments',
  message: Buffer,
  signal: AbortSignal,
  parse: (answer: Buffer) => Answer,
  receive: (answer: Answer) => void,
): Promise<void> {
  return attempt(signal, (client, metadata, resolve, reject) => {
    // An object, because the library's stream takes neither null nor undefined.
    const parsed = (answer: Buffer) => ({ answer: parse(answer) });
    const call = client.makeServerStreamRequest(SERVICE + method, asIs, parsed, message, metadata);
    return call
      .on('data', ({ answer }: { answer: Answer }) => receive(answer))
      .on('end', resolve)
      .on('error', reject);
  });
}

type Send<T> = (
  client: Client,
  metadata: Metadata,
  resolve: (answer: T) => void,
  reject: (error: Error) => void,
) => { cancel(): void };

/**
 * Makes an attempt. The library waits without a limit for a connection that was opened and stays silent, also after the
 * network works again: after three attempts without an answer, the next call opens another connection.
 */
async function attempt<T>(signal: AbortSignal, send: Send<T>): Promise<T> {
  const metadata = await headers();
  signal.throwIfAborted();
  const connection = openConnection();
  const begunAt = performance.now();
  let giveUp = () => {};
  connection.running++;
  try {
    const answer = await new Promise<T>((resolve, reject) => {
      const call = send(connection.client, metadata, resolve, reject);
      giveUp = () => call.cancel();
      signal.addEventListener('abort', giveUp);
    });
    connection.unanswered = 0;
    return answer;
  } catch (error) {
    const isUnanswered = [status.DEADLINE_EXCEEDED, status.CANCELLED].includes((error as ServiceError).code);
    if (!isUnanswered) connection.unanswered = 0;
    // A request that ends sooner says nothing about the connection. Timers are not exact, hence 0.9.
    else if (performance.now() - begunAt > 0.9 * config.attemptTimeoutMs()) connection.unanswered++;
    throw isUnanswered ? new BackendTimeout('Firestore') : error;
  } finally {
    signal.removeEventListener('abort', giveUp);
    connection.running--;
    replaceIfSilent(connection);
  }
}

/** Calls that still run keep the old connection: closing it would fail those that wait for it, and lose their views. */
function replaceIfSilent(connection: Connection): void {
  if (connection === current && connection.unanswered >= UNANSWERED_ATTEMPTS) {
    logWarning('The database got no answers. The connection is replaced.', 'BackendTimeout');
    current = undefined;
  }
  if (connection !== current && connection.running === 0) connection.client.close();
}
