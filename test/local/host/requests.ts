import { request } from 'node:http';

export interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Sends the body without its length. */
  chunked?: true;
}

export type Received = { status: number; headers: Record<string, unknown>; text: string };

/** Sends the path as it is: `fetch` would correct a malformed path. */
export function send(base: string, { method = 'POST', path = '', headers = {}, body, chunked }: Sent) {
  const url = new URL(base);
  const length = chunked || body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = { host: url.hostname, port: url.port, path: (url.pathname + path).replace(/^\/\//, '/'), method };
  return new Promise<Received>((resolve, reject) => {
    const sent = request({ ...options, headers: { ...length, ...headers }, agent: false }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode!, headers: response.headers, text });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
