import { setMaxListeners } from 'node:events';
import { request, type OutgoingHttpHeaders } from 'node:http';

interface Post {
  headers: OutgoingHttpHeaders;
  body?: Buffer;
  signal: AbortSignal;
}

/** Sends a POST on a connection of its own. Resolves with the status, however long the function runs. */
export function post(url: string, { headers, body = Buffer.alloc(0), signal }: Post): Promise<number> {
  // One signal ends all calls of a part. More than ten at once are no leak.
  setMaxListeners(0, signal);
  const options = { method: 'POST', headers: { ...headers, 'content-length': body.length }, agent: false, signal };
  return new Promise((resolve, reject) => {
    request(url, options, (response) => {
      response.on('error', reject).on('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    })
      .on('error', reject)
      .end(body);
  });
}
