import { Agent as HttpAgent, request as requestHttp, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { unexpectedAnswer } from './envelope';
import type { Incoming, Outgoing, Transport } from './transport';

/** A connection without traffic for this long is closed. */
const IDLE_TIMEOUT_MILLISECONDS = 120_000;

/** Sends over `node:http` and `node:https`, and keeps the connections open until `close`. */
export class NodeTransport implements Transport {
  /** `userAgent` names the program and its version in the logs of the service. */
  constructor(private readonly userAgent?: string) {}

  private readonly agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  close(): void {
    this.agents.http.destroy();
    this.agents.https.destroy();
  }

  /** When the answer is complete before the body is sent, the rest of the body is not sent. */
  exchange({ url, method, headers: ofCall, body, onSent, onReceived, maxBytes, signal }: Outgoing): Promise<Incoming> {
    const headers = this.userAgent === undefined ? ofCall : { ...ofCall, 'User-Agent': this.userAgent };
    return new Promise((resolve, reject) => {
      const isSecure = url.protocol === 'https:';
      const agent = isSecure ? this.agents.https : this.agents.http;
      const request = (isSecure ? requestHttps : requestHttp)(url, { method, headers, agent, signal });
      request.setTimeout(IDLE_TIMEOUT_MILLISECONDS, () => {
        request.destroy(Object.assign(new Error('The connection timed out.'), { code: 'ETIMEDOUT' }));
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        const head = { status: response.statusCode ?? 0, headers: joined(response.headers) };
        if (onReceived && head.status === 200) {
          handOver(response, onReceived).then(() => resolve({ ...head, bytes: new Uint8Array() }), reject);
          return;
        }
        let received = 0;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          received += chunk.length;
          if (received > maxBytes)
            response.destroy(unexpectedAnswer(`${url.host} answered with more than ${maxBytes} bytes.`, head));
        });
        response.on('error', reject);
        response.on('end', () => {
          resolve({ ...head, bytes: Buffer.concat(chunks) });
          if (!request.writableFinished) request.destroy();
        });
      });
      if (typeof body === 'function')
        pipeline(Readable.from(counted(body(), onSent), { objectMode: false }), request).catch(reject);
      else request.end(body);
    });
  }
}

async function handOver(response: AsyncIterable<Buffer>, onReceived: NonNullable<Outgoing['onReceived']>) {
  for await (const chunk of response) await onReceived(chunk);
}

async function* counted(chunks: AsyncIterable<Uint8Array>, onSent: Outgoing['onSent']): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const chunk of chunks) {
    sent += chunk.length;
    onSent?.(sent);
    yield chunk;
  }
}

const joined = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]));
