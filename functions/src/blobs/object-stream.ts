import { once } from 'node:events';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Bucket } from './bucket';

type StorageObject = ReturnType<Bucket['file']>;

const http = { request: httpRequest, agent: new HttpAgent({ keepAlive: true }) };
const https = { request: httpsRequest, agent: new HttpsAgent({ keepAlive: true }) };

/** The bucket refused a read. `code` is the HTTP status, as in the errors of the client library. */
class ReadRefused extends Error {
  constructor(readonly code: number) {
    super(`The bucket answered a read with the status ${code}.`);
  }
}

/**
 * Reads an object, or bytes `start` to `end` (inclusive) of it. `signal` closes the connection of this read.
 *
 * The client library only authenticates the request. When a stream of the library is destroyed early, the library
 * closes the connections of all other calls. Streams among those calls then wait without an error.
 */
export async function* streamObject(
  object: StorageObject,
  range: { start: number; end: number } | undefined,
  signal: AbortSignal,
): AsyncGenerator<Buffer, undefined> {
  const { uri, headers } = await authenticated(object);
  const { request, agent } = uri.startsWith('https:') ? https : http;
  const asked = { ...headers, ...(range && { Range: `bytes=${range.start}-${range.end}` }) };
  const call = request(uri, { agent, headers: asked, signal }).end();
  // A failure after the headers is thrown by the answer. Without a listener, the process would end.
  call.on('error', () => {});
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200 && answer.statusCode !== 206) {
    answer.resume();
    throw new ReadRefused(answer.statusCode!);
  }
  yield* answer;
}

/** The URL and the headers of a read. */
function authenticated({ storage, bucket, name, generation }: StorageObject) {
  const path = `/b/${encodeURIComponent(bucket.name)}/o/${encodeURIComponent(name)}`;
  const version = generation === undefined ? '' : `&generation=${generation}`;
  const sent = { uri: `${storage.baseUrl}${path}?alt=media${version}`, headers: { 'Cache-Control': 'no-store' } };
  return new Promise<{ uri: string; headers: Record<string, string> }>((resolve, reject) => {
    storage.makeAuthenticatedRequest(sent, {
      onAuthenticated(error, request) {
        if (error || !request) reject(error ?? new Error('The library returned no request.'));
        else
          resolve({
            uri: sent.uri,
            headers: Object.fromEntries(new Headers(request.headers as Record<string, string>)),
          });
      },
    });
  });
}
