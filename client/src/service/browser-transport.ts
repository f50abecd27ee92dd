import { unexpectedAnswer } from './envelope';
import type { Body, Incoming, Outgoing, Transport } from './transport';

/** A connection without traffic for this long is closed. */
const IDLE_TIMEOUT_MILLISECONDS = 120_000;

/** Browsers set these headers themselves, and refuse or ignore them in a request. */
const OF_BROWSER = new Set(['content-length', 'user-agent']);

/** The body of a request is whole in memory. The bucket asks for a multiple of 256 KiB. */
const PIECE_BYTES = 8 * 1024 * 1024;

/**
 * Sends with XMLHttpRequest, in browsers: `fetch` does not tell how much was sent. It sends no cookie to another site.
 * The error of a connection has the code `ERR_NETWORK`, `ERR_OFFLINE` when the browser has no network, or `ETIMEDOUT`:
 * browsers tell a page no more.
 */
export class BrowserTransport implements Transport {
  readonly maxPieceBytes = PIECE_BYTES;

  async exchange({ body, signal, onReceived, ...outgoing }: Outgoing): Promise<Incoming> {
    const content = body && (await wholeOf(body));
    signal?.throwIfAborted();
    const idle = new IdleTimer();
    const either = signal ? AbortSignal.any([signal, idle.signal]) : idle.signal;
    const request = { ...outgoing, headers: allowed(outgoing.headers), content, signal: either };
    try {
      const incoming = await send(request, () => idle.reset());
      if (!onReceived || incoming.status !== 200) return incoming;
      await onReceived(incoming.bytes);
      return { ...incoming, bytes: new Uint8Array() };
    } finally {
      idle.stop();
    }
  }

  /** Nothing to do: the browser keeps and closes the connections. */
  close(): void {}
}

interface Request extends Pick<Outgoing, 'url' | 'method' | 'maxBytes' | 'onSent'> {
  headers: Record<string, string>;
  content: Blob | undefined;
  signal: AbortSignal;
}

function send(request: Request, onTraffic: () => void): Promise<Incoming> {
  const { url, method, headers, content, maxBytes, onSent, signal } = request;
  const xhr = new XMLHttpRequest();
  const stop = () => xhr.abort();
  return new Promise<Incoming>((resolve, reject) => {
    const headOf = () => ({ status: xhr.status, headers: headersOf(xhr.getAllResponseHeaders()) });
    xhr.open(method, url);
    xhr.responseType = 'arraybuffer';
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    // A listener for the upload makes the browser ask the service before a simple request, too.
    if (onSent)
      xhr.upload.onprogress = ({ loaded }) => {
        onTraffic();
        onSent(loaded);
      };
    xhr.onprogress = ({ loaded }) => {
      onTraffic();
      if (loaded <= maxBytes) return;
      reject(tooLarge(request, headOf()));
      xhr.abort();
    };
    xhr.onload = () => resolve({ ...headOf(), bytes: new Uint8Array(xhr.response as ArrayBuffer) });
    xhr.onerror = () => reject(disconnected());
    xhr.onabort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    xhr.send(content);
  }).finally(() => signal.removeEventListener('abort', stop));
}

const headersOf = (lines: string) =>
  Object.fromEntries(
    lines
      .split('\r\n')
      .filter((line) => line.includes(': '))
      .map((line) => [line.slice(0, line.indexOf(': ')).toLowerCase(), line.slice(line.indexOf(': ') + 2)]),
  );

const tooLarge = ({ url, maxBytes }: Request, head: Omit<Incoming, 'bytes'>) =>
  unexpectedAnswer(`${url.host} answered with more than ${maxBytes} bytes.`, head);

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

const disconnected = (cause?: unknown) => connectionError(navigator.onLine ? 'ERR_NETWORK' : 'ERR_OFFLINE', cause);

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
