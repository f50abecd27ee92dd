import { Client, credentials, Metadata, status, type CallOptions, type ServiceError } from '@grpc/grpc-js';
import { config } from '../../config';
import { BackendTimeout } from '../../deadlines';
import { googleHeaders } from '../../google-credentials';
import { logWarning } from '../../log';
import { channelOptions } from '../time-limits';

/** The connection is given up after this many attempts in a row without an answer. */
const UNANSWERED_ATTEMPTS = 3;

const SERVICE = '/google.firestore.v1.Firestore/';
const asIs = (bytes: Buffer): Buffer => bytes;

let channel: Client | undefined;
let unanswered = 0;

/** The full name of the database. */
export const databaseName = (): string => `projects/${config.projectId()}/databases/(default)`;

/** The connection to the database, which is opened by the first call. An emulator has no certificate. */
function open(): Client {
  const emulator = process.env['FIRESTORE_EMULATOR_HOST'];
  const secured = emulator ? credentials.createInsecure() : credentials.createSsl();
  return (channel ??= new Client(emulator ?? 'firestore.googleapis.com:443', secured, {
    // The library accepts answers of 4 MB by default. A read of large documents has more.
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
    ...channelOptions(),
  }));
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

const limits = (): CallOptions => ({ deadline: Date.now() + config.attemptTimeoutMs() });

/** One attempt of a call with one answer. Rejects with the gRPC status of the database, or with `BackendTimeout`. */
export function callOnce(method: 'Commit', message: Buffer, signal?: AbortSignal): Promise<Buffer> {
  return attempt(async (client, metadata) => {
    return new Promise((resolve, reject) => {
      const call = client.makeUnaryRequest(
        SERVICE + method,
        asIs,
        asIs,
        message,
        metadata,
        limits(),
        (error, answer) => (error ? reject(error) : resolve(answer!)),
      );
      signal?.addEventListener('abort', () => call.cancel());
    });
  });
}

/** One attempt of a call with several answers, which `receive` gets one by one. Rejects like `callOnce`. */
export function callStream(
  method: 'BatchGetDocuments',
  message: Buffer,
  signal: AbortSignal,
  receive: (answer: Buffer) => void,
): Promise<void> {
  return attempt(async (client, metadata) => {
    return new Promise((resolve, reject) => {
      const call = client.makeServerStreamRequest(SERVICE + method, asIs, asIs, message, metadata, limits());
      call.on('data', receive).on('end', resolve).on('error', reject);
      signal.addEventListener('abort', () => call.cancel());
    });
  });
}

/**
 * Runs an attempt. The library waits without a limit for a connection that was opened and stays silent, also after the
 * network works again: after three attempts without an answer, the next call opens another connection.
 */
async function attempt<T>(work: (client: Client, metadata: Metadata) => Promise<T>): Promise<T> {
  const metadata = await headers();
  const client = open();
  try {
    const answer = await work(client, metadata);
    unanswered = 0;
    return answer;
  } catch (error) {
    const isUnanswered = [status.DEADLINE_EXCEEDED, status.CANCELLED].includes((error as ServiceError).code);
    unanswered = isUnanswered ? unanswered + 1 : 0;
    if (unanswered >= UNANSWERED_ATTEMPTS && client === channel) {
      logWarning('The database got no answers. The connection is replaced.', 'BackendTimeout');
      channel = undefined;
      unanswered = 0;
      client.close();
    }
    throw isUnanswered ? new BackendTimeout('Firestore') : error;
  }
}
