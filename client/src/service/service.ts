import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Failure, systemCode } from '../failure';
import type { Contract } from './contract';
import {
  backoff,
  exchange,
  isNetworkError,
  isUnreachable,
  MAX_ATTEMPTS,
  pause,
  waitAfter,
  type Incoming,
  type Outgoing,
} from './http';
import type { FilesForm } from './multipart';
import { sendResumable, type ResumableUpload } from './resumable';

interface ServiceOptions {
  baseUrl: string;
  key?: string | undefined;
  /** Called with the reason before a wait for the next attempt, and with an empty string after it. */
  onWait: (reason: string) => void;
}

interface CallOptions {
  /** Whether a retry is safe. It is not for a call that uses up a one-time code. Default true. */
  canRepeat?: boolean;
  idempotencyKey?: string;
}

interface GetOptions {
  /** Whether the call is retried. Not for an answer that the client can do without. Default true. */
  canRepeat?: boolean;
  signal?: AbortSignal;
}

/** A client of the service at one base URL. It keeps its connections open until `close`. */
export class DeckService {
  private readonly agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  /** Whether the service has answered. Then a refused connection is retried, because the service may be restarting. */
  private hasAnswered = false;

  constructor(private readonly options: ServiceOptions) {}

  close(): void {
    this.agents.http.destroy();
    this.agents.https.destroy();
  }

  /** A client of the same service with another key. The caller closes it as well. */
  withKey(key: string): DeckService {
    return new DeckService({ ...this.options, key });
  }

  async get<N extends keyof Contract>(
    name: N,
    query: Record<string, string> = {},
    { canRepeat = true, signal }: GetOptions = {},
  ): Promise<Contract[N]['answer']> {
    const url = this.url(name);
    url.search = new URLSearchParams(query).toString();
    return this.send({ url, method: 'GET', headers: {}, signal }, canRepeat);
  }

  async post<N extends keyof Contract>(
    name: N,
    input: Contract[N]['input'],
    { canRepeat = true, idempotencyKey }: CallOptions = {},
  ): Promise<Contract[N]['answer']> {
    const body = Buffer.from(JSON.stringify(input));
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
    };
    return this.send({ url: this.url(name), method: 'POST', headers, body }, canRepeat);
  }

  /** Sends a form with files. `onRestart` is called before a retry, which sends all bytes again. */
  async postFiles<N extends keyof Contract>(
    name: N,
    form: FilesForm,
    onRestart: () => void,
    signal: AbortSignal,
  ): Promise<Contract[N]['answer']> {
    let isFirst = true;
    const body = () => {
      if (!isFirst) onRestart();
      isFirst = false;
      return form.open();
    };
    return this.send({ url: this.url(name), method: 'POST', headers: { ...form.headers }, body, signal });
  }

  /** Bytes `from` to `to` (included) of a file of a deck. The answer may hold fewer bytes, but at least one. */
  async getBytes(
    query: { presentationId: string; version: string; sha256: string },
    { from, to }: { from: number; to: number },
    signal: AbortSignal,
  ): Promise<Buffer> {
    const url = this.url('downloadPresentationAsset');
    url.search = new URLSearchParams(query).toString();
    const outgoing: Outgoing = { url, method: 'GET', headers: { Range: `bytes=${from}-${to}` }, signal };
    return this.send(outgoing, true, (incoming, baseUrl) => {
      const { status, bytes } = incoming;
      const isPart = status === 206 && bytes.length > 0 && bytes.length <= to - from + 1;
      return isPart ? bytes : readAnswer(incoming, baseUrl);
    });
  }

  /** Sends a large file to the signed address of the bucket that the service granted. */
  async putFile(upload: ResumableUpload, signal: AbortSignal): Promise<void> {
    const agent = this.agentFor(new URL(upload.url));
    await sendResumable(upload, { agent, onWait: this.options.onWait, signal });
  }

  private agentFor({ protocol }: URL): HttpAgent {
    return protocol === 'https:' ? this.agents.https : this.agents.http;
  }

  private url(name: string): URL {
    return new URL(`${this.options.baseUrl}/${name}`);
  }

  /**
   * Sends, and retries where that is allowed. Resolves with `data` of a success, and throws every other answer as a
   * failure.
   */
  private async send<T>(
    outgoing: Outgoing,
    canRepeat = true,
    read: (incoming: Incoming, baseUrl: string) => T = readAnswer,
  ): Promise<T> {
    if (this.options.key) outgoing.headers['Authorization'] = `Bearer ${this.options.key}`;
    for (let attempt = 1; ; attempt++) {
      const isLast = !canRepeat || attempt === MAX_ATTEMPTS;
      let wait: number | undefined;
      let reason: string;
      try {
        const incoming = await exchange(outgoing, this.agentFor(outgoing.url));
        this.hasAnswered = true;
        wait = isLast || isLimit(incoming) ? undefined : waitAfter(incoming.status, incoming.headers, attempt);
        if (wait === undefined) return read(incoming, this.options.baseUrl);
        const seconds = Math.ceil(wait / 1000);
        reason =
          incoming.status === 429 ? `The service asks to wait ${seconds} s` : `The service answered ${incoming.status}`;
      } catch (error) {
        const code = systemCode(error);
        if (error instanceof Failure || !isNetworkError(code) || outgoing.signal?.aborted) throw error;
        if (isLast || (isUnreachable(code) && !this.hasAnswered)) throw unreachable(this.options.baseUrl, code, error);
        wait = backoff(attempt);
        reason = code === 'ECONNREFUSED' ? 'The service is not answering' : `The connection failed (${code})`;
      }
      this.options.onWait(reason);
      await pause(wait, outgoing.signal);
      this.options.onWait('');
    }
  }
}

interface Envelope {
  success: boolean;
  data?: unknown;
  error?: { code: string; message: string; nextAction?: string; requestId?: string; details?: object };
}

function readAnswer<T>({ status, headers, bytes }: Incoming, baseUrl: string): T {
  const envelope = parseEnvelope(bytes);
  if (envelope?.success && status >= 200 && status < 300) return envelope.data as T;
  const requestId = envelope?.error?.requestId ?? headers['x-request-id']?.toString();
  if (envelope?.error) throw new Failure(envelope.error.message, { ...envelope.error, requestId, status });
  throw new Failure(`${baseUrl} answered ${status}, but not as the presentation service does.`, {
    code: 'unexpected-answer',
    nextAction: 'Check the base URL (--base-url or DECK_BASE_URL), or try again later.',
    requestId,
    status,
  });
}

/** A 429 of the service without Retry-After is a limit that no wait lifts, such as the number of keys. */
function isLimit({ status, headers, bytes }: Incoming): boolean {
  return status === 429 && headers['retry-after'] === undefined && parseEnvelope(bytes)?.success === false;
}

function parseEnvelope(bytes: Buffer): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return typeof value === 'object' && value !== null && 'success' in value ? (value as Envelope) : undefined;
  } catch {
    return undefined;
  }
}

function unreachable(baseUrl: string, code: string | undefined, cause: unknown): Failure {
  const { host, hostname } = new URL(baseUrl);
  const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return new Failure(`No answer from ${host} (${code}).`, {
    code: 'unreachable',
    nextAction: isLocal
      ? 'Start the local cloud with `npm start` in the project, or name another address with --base-url.'
      : 'Check the connection and the address (--base-url or DECK_BASE_URL).',
    details: { baseUrl, reason: code },
    cause,
  });
}
