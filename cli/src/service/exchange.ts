import type { Agent, IncomingHttpHeaders } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A request that can be sent again: a streamed body is made anew for each attempt. */
export interface Outgoing {
  url: URL;
  method: 'GET' | 'POST' | 'PUT';
  headers: Record<string, string | number>;
  body?: Buffer | (() => Readable);
  signal?: AbortSignal | undefined;
}

export interface Incoming {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** A connection that is silent for this long is given up. */
const idleMilliseconds = 120_000;

/**
 * One request, one answer, whatever its status. Rejects when the connection fails, or with the error of the body's
 * stream. An answer that comes before the body has been sent ends the sending: the service has made up its mind.
 */
export function exchange({ url, method, headers, body, signal }: Outgoing, agent: Agent): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = send(url, { method, headers, agent, signal });
    request.setTimeout(idleMilliseconds, () => {
      request.destroy(Object.assign(new Error('The connection fell silent.'), { code: 'ETIMEDOUT' }));
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
        });
        if (!request.writableFinished) request.destroy();
      });
    });
    if (typeof body === 'function') pipeline(body(), request).catch(reject);
    else request.end(body);
  });
}
