import { unexpectedAnswer } from './envelope';
import type { Body, Incoming, Outgoing, Transport } from './transport';

/** A connection without traffic for this long is closed. */
const IDLE_TIMEOUT_MILLISECONDS = 120_000;

/** Browsers set these headers themselves, and refuse or ignore them in a request. */
const OF_BROWSER = new Set(['content-length', 'user-agent']);

/**
 * Sends with `fetch`, in browsers. It sends no cookie and stores no answer. The error of a connection has the code
 * `ERR_NETWORK`, `ERR_OFFLINE` when the browser has no network, or `ETIMEDOUT`: browsers tell a page no more.
 */
export class FetchTransport implements Transport {
  async exchange({ url, method, headers, body, maxBytes, signal }: Outgoing): Promise<Incoming> {
    const idle = new IdleTimer();
    const either = signal ? AbortSignal.any([signal, idle.signal]) : idle.signal;
    const content = body && (await wholeOf(body));
    try {
      const response = await fetch(url, {
        ...{ method, headers: allowed(headers), signal: either },
        ...(content && { body: content }),
        ...{ credentials: 'omit', cache: 'no-store' },
      });
      idle.reset();
      const head = { status: response.status, headers: Object.fromEntries(response.headers) };
      const chunks: Uint8Array<ArrayBuffer>[] = [];
      let received = 0;
      const reader = response.body?.getReader();
      for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
        idle.reset();
        chunks.push(part.value);
        received += part.value.length;
        if (received <= maxBytes) continue;
        await reader?.cancel();
        throw unexpectedAnswer(`${url.host} answered with more than ${maxBytes} bytes.`, head);
      }
      return { ...head, bytes: await bytesOf(chunks) };
    } catch (error) {
      // `fetch` rejects with a TypeError for each failure of the connection, and with the reason of an aborted signal.
      if (signal?.aborted || !(error instanceof TypeError)) throw error;
      throw connectionError(navigator.onLine ? 'ERR_NETWORK' : 'ERR_OFFLINE', error);
    } finally {
      idle.stop();
    }
  }

  /** Nothing to do: the browser keeps and closes the connections. */
  close(): void {}
}

/** Aborts its signal when it is not reset in time. */
class IdleTimer {
  private readonly controller = new AbortController();
  private timer = this.start();

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  reset(): void {
    this.stop();
    this.timer = this.start();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private start() {
    return setTimeout(() => this.controller.abort(connectionError('ETIMEDOUT')), IDLE_TIMEOUT_MILLISECONDS);
  }
}

const connectionError = (code: string, cause?: unknown): Error =>
  Object.assign(new Error('The connection failed.', { cause }), { code });

const allowed = (headers: Outgoing['headers']) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !OF_BROWSER.has(name.toLowerCase()))
      .map(([name, value]) => [name, String(value)]),
  );

/** The whole body: browsers stream a request only over HTTP/2, and not all of them do. */
async function wholeOf(body: Body): Promise<Blob> {
  if (typeof body !== 'function') return new Blob([body as Uint8Array<ArrayBuffer>]);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of body()) chunks.push(chunk as Uint8Array<ArrayBuffer>);
  return new Blob(chunks);
}

const bytesOf = async (chunks: Uint8Array<ArrayBuffer>[]) => new Uint8Array(await new Blob(chunks).arrayBuffer());
