import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { config } from '../config';
import { googleHeaders } from '../google-credentials';

/**
 * Requests to the JSON API of Cloud Storage without its client library. The library costs more than the request: to
 * load, and for each call. When a stream of the library is destroyed early, the library also closes the connections of
 * all other calls.
 */

/** A connection without a call is closed after a minute, before the bucket closes it. */
const kept = { keepAlive: true, timeout: 60_000 };
const http = { request: httpRequest, agent: new HttpAgent(kept) };
const https = { request: httpsRequest, agent: new HttpsAgent(kept) };

/** The bucket refused a call. `code` is the HTTP status, as in the errors of the client library. */
export class Refused extends Error {
  constructor(
    operation: string,
    readonly code: number,
  ) {
    super(`The bucket answered ${operation} with the status ${code}.`);
  }
}

/** The last address of the bucket as options of a request. It is parsed once, and not for each call. */
let known: { address: string; options: RequestOptions } | undefined;

function optionsOf(address: string): RequestOptions {
  if (known?.address !== address) known = { address, options: urlToHttpOptions(new URL(address)) };
  return known.options;
}

interface CallOptions {
  method?: 'GET' | 'POST';
  headers: Record<string, string | number>;
  /** Closes the connection of the call. */
  signal?: AbortSignal;
}

/** Opens an authorized request. The caller ends it. `path` begins with a slash. */
export async function openCall(path: string, { method = 'GET', headers, signal }: CallOptions): Promise<ClientRequest> {
  const local = config.storageEmulator();
  const authorization = local ? {} : Object.fromEntries(await googleHeaders());
  const { request, agent } = local?.startsWith('http:') ? http : https;
  const options = optionsOf(local ?? 'https://storage.googleapis.com');
  const call = request({
    ...options,
    // The address of an emulator may have a path.
    path: options.path === '/' ? path : `${options.path}${path}`,
    method,
    agent,
    signal,
    headers: { ...authorization, ...headers },
  });
  // The caller sees a failure after the answer in the answer. Without a listener, the process would end.
  return call.on('error', () => {});
}
