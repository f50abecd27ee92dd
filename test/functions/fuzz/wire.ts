import { request, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request as bytes: nothing in it is normalised on its way. */
export interface WireRequest {
  method: string;
  /** The path and query below the function's name. */
  url: string;
  headers: readonly (readonly [string, string])[];
  body?: Buffer | undefined;
  /** Whether the client leaves after a half of the body. */
  isCutOff?: boolean;
}

type WireAnswer = { status: number; headers: IncomingHttpHeaders; body: string };

/** Sends a request to a function. Undefined when the request was cut off by the client. */
export function send(base: string, path: string, wire: WireRequest): Promise<WireAnswer | undefined> {
  const { hostname, port, host } = new URL(base);
  const headers: Record<string, string | string[]> = { host };
  for (const [name, value] of wire.headers) {
    const earlier = headers[name];
    headers[name] = earlier === undefined || name === 'host' ? value : [earlier, value].flat();
  }
  if (wire.body && !('content-length' in headers)) headers['content-length'] = String(wire.body.length);
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: path + wire.url, method: wire.method, headers, agent: false, setHost: false },
      (response) => {
        buffer(response).then(
          (bytes) => resolve({ status: response.statusCode!, headers: response.headers, body: bytes.toString() }),
          reject,
        );
        // The answer to a request that is larger than its limit comes before the client has sent the body.
        response.once('end', () => sent.destroy());
      },
    );
    sent.once('error', (error) =>
      wire.isCutOff ? resolve(undefined) : reject(new Error(`${hostname}: ${error.message}`)),
    );
    if (!wire.isCutOff) return void sent.end(wire.body);
    sent.write(wire.body?.subarray(0, wire.body.length / 2) ?? '', () => sent.destroy());
  });
}
