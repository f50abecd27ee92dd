import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isPublicAddress } from '../values/networks';
import { webhookUrlProblem } from '../values/webhook-addresses';

/** The time of a request, from the lookup of the name to the end of the answer. */
const TIME_MS = 10_000;
/** What is read of an answer, and what of it is kept. */
const [MAX_ANSWER, KEPT_ANSWER] = [64 * 1024, 1024];

/** Why there is no answer, as the owner of the webhook reads it. */
const reasons: Readonly<Record<string, string>> = {
  ABORT_ERR: 'There was no answer within 10 seconds.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed without an answer.',
  ENOTFOUND: 'The name of the host is not known.',
  EPRIVATE: 'The host has a private address.',
};

/** The status of the answer and its beginning, or null and the reason why there is none. */
export interface Posted {
  status: number | null;
  answer: string;
}

/**
 * Sends a body to an address that a customer chose. The name is looked up once, all of its addresses are checked, and
 * the connection is made to one of these. It follows no redirect, and shares no connection with another request. The
 * headers are those of the service. `allowsPrivate` lifts the checks.
 */
export async function postTo(
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
  allowsPrivate: boolean,
): Promise<Posted> {
  // The setting may have been lifted when the webhook was made.
  const problem = webhookUrlProblem(url, allowsPrivate);
  if (problem) return { status: null, answer: problem };
  const signal = AbortSignal.timeout(TIME_MS);
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    agent: false,
    signal,
    ...(!allowsPrivate && { lookup: lookupPublic }),
  };
  try {
    return await new Promise<Posted>((resolve, reject) => {
      const send = new URL(url).protocol === 'https:' ? requestHttps : requestHttp;
      send(url, options)
        .on('response', (answer) =>
          readStart(answer).then((text) => resolve({ status: answer.statusCode!, answer: text }), reject),
        )
        .on('error', reject)
        .end(body);
    });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const reason = signal.aborted ? reasons['ABORT_ERR'] : reasons[code];
    return { status: null, answer: (reason ?? `The request failed: ${code || message}`).slice(0, KEPT_ANSWER) };
  }
}

/** Reads up to 64 KB of an answer, and returns the first KB as text. */
async function readStart(answer: IncomingMessage): Promise<string> {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (size < KEPT_ANSWER) kept.push(chunk);
    size += chunk.length;
    // The end of the loop closes the connection.
    if (size >= MAX_ANSWER) break;
  }
  return Buffer.concat(kept).subarray(0, KEPT_ANSWER).toString('utf8');
}

type Callback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** Looks a name up as Node does, and refuses it when one of its addresses is private. */
function lookupPublic(name: string, options: LookupOptions, callback: Callback): void {
  lookup(name, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, []);
    const [first] = found;
    if (!first || !found.every(({ address }) => isPublicAddress(address)))
      return callback(Object.assign(new Error('The host has a private address.'), { code: 'EPRIVATE' }), []);
    if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  });
}
