import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { TLSSocket } from 'node:tls';

/** How long the service may take for its first answer. */
const PATIENCE_MILLISECONDS = 10_000;

/** What one request to the service shows about the way to it. */
export interface Probe {
  status: number;
  milliseconds: number;
  /** How much the clock of the service is ahead of this one, in seconds. Undefined when it does not tell its time. */
  clockAheadSeconds: number | undefined;
  /** Until when the certificate is valid. Undefined without TLS. */
  certificateUntil: Date | undefined;
}

/** Asks an address for its answer. Rejects with the error of the connection. */
export async function probe(url: string): Promise<Probe> {
  const startedAt = Date.now();
  const answer = await send(new URL(url));
  const answeredAt = Date.now();
  const { statusCode = 0, headers, socket } = answer;
  const certificate = 'getPeerCertificate' in socket ? (socket as TLSSocket).getPeerCertificate() : undefined;
  answer.destroy();
  const date = Date.parse(headers.date ?? '');
  return {
    status: statusCode,
    milliseconds: answeredAt - startedAt,
    // The header has whole seconds, and was written at some time during the request.
    clockAheadSeconds: Number.isNaN(date) ? undefined : outside(date / 1000, startedAt / 1000 - 1, answeredAt / 1000),
    certificateUntil: certificate?.valid_to === undefined ? undefined : new Date(certificate.valid_to),
  };
}

/** How far a time is before or after a span; 0 within it. */
function outside(time: number, from: number, to: number): number {
  return time < from ? Math.round(time - from) : time > to ? Math.round(time - to) : 0;
}

function send(url: URL): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, { agent: false });
    request.setTimeout(PATIENCE_MILLISECONDS, () => {
      request.destroy(Object.assign(new Error('The connection timed out.'), { code: 'ETIMEDOUT' }));
    });
    request.on('error', reject);
    request.on('response', resolve);
    request.end();
  });
}
