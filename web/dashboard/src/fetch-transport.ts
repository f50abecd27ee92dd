import { Failure } from '../../../client/src/failure';
import type { Incoming, Outgoing, Transport } from '../../../client/src/service/transport';

/** Sends the requests of the client library with `fetch`. */
export class FetchTransport implements Transport {
  async exchange({ url, method, headers, body, maxBytes, signal }: Outgoing): Promise<Incoming> {
    if (typeof body === 'function') throw new Error('This transport sends no streams.');
    const { 'Content-Length': _, ...sent } = headers;
    try {
      const init = { method, headers: sent as Record<string, string>, cache: 'no-store', credentials: 'omit' } as const;
      const answer = await fetch(url, { ...init, body: (body as BodyInit) ?? null, signal: signal ?? null });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      if (bytes.length > maxBytes) throw new Failure('The answer is too large.', { code: 'unexpected-answer' });
      return { status: answer.status, headers: Object.fromEntries(answer.headers), bytes };
    } catch (error) {
      if (error instanceof TypeError) throw Object.assign(error, { code: 'ECONNRESET' });
      throw error;
    }
  }

  close(): void {}
}
