import { Failure, systemCode } from '../failure';
import type { Contract } from './contract';
import { isLimit, readAnswer, refusal, unreachable } from './envelope';
import type { FilesForm } from './multipart';
import { Patience } from './patience';
import { sendResumable, type ResumableUpload } from './resumable';
import { backoff, isNetworkError, isUnreachable, MAX_ATTEMPTS, pause, waitAfter } from './retries';
import type { Incoming, Outgoing, Transport } from './transport';

/** The largest answers, the files of a version and pages of rows, have a few megabytes. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_LOGO_BYTES = 2 * 1024 * 1024 + MAX_ERROR_BYTES;
const MAX_SLIDE_BYTES = 1024 * 1024;

/** The calls with POST that change nothing. */
const READING_POSTS = new Set<keyof Contract>([
  'listCollaborators',
  'previewPresentationVersion',
  'previewShareEmail',
  'verifyApiKey',
]);

/** How a client reaches the service. */
export interface ServiceOptions {
  /** The address of the service, without a slash at its end: `https://decks.example.com`. */
  baseUrl: string;
  /** The API key or session token. Calls of public endpoints need none. */
  key?: string | undefined;
  /** Called with the reason before a wait for the next attempt, and with an empty string after the wait. */
  onWait?: ((reason: string) => void) | undefined;
  /** Called with true when a call has had no answer for 3 seconds, and with false when it has one or has ended. */
  onSilence?: ((isSilent: boolean) => void) | undefined;
  /** For how long a failed call that only reads is tried again, in milliseconds. Default: 30 seconds. */
  readRetriesMs?: number | undefined;
  /** Ends all calls of the client when it aborts. They reject with its reason. */
  signal?: AbortSignal | undefined;
  /** What sends the requests. Default in Node: `node:http` and `node:https`. Browsers need a `BrowserTransport`. */
  transport?: Transport | undefined;
}

/** The names of the calls with a method. */
export type CallOf<Method extends 'GET' | 'POST'> = {
  [Name in keyof Contract]: Contract[Name]['method'] extends Method ? Name : never;
}[keyof Contract];

/** What `get` takes after the name: the input of the call, which may be left out when all of its fields may. */
export type Asking<Name extends CallOf<'GET'>> =
  Record<never, never> extends Contract[Name]['input']
    ? [query?: Contract[Name]['input'], options?: GetOptions]
    : [query: Contract[Name]['input'], options?: GetOptions];

/** The options of a call that changes something. */
export interface PostOptions {
  /** Whether a retry is safe. It is not for a call that uses up a one-time code. Default: true. */
  canRepeat?: boolean | undefined;
  /** With the same key and input, a second call gets the answer of the first one. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Whether a call is sent again: also after an attempt without an answer, only after an answer such as 503, or never.
 */
type Repeats = boolean | 'after-answers';

/** Bytes of a file, both ends included. */
interface ByteRange {
  from: number;
  to: number;
}

/** The options of a call that reads. */
export interface GetOptions {
  /** Whether the call is retried. Not for an answer that the caller can do without. Default: true. */
  canRepeat?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * A client of the service at one base URL. It keeps its connections open until `close`.
 *
 * A call resolves with `data` of the answer. It rejects with a `Failure`, whose `code` is one of the service, or
 * `unreachable` or `unexpected-answer`. It is tried at most 8 times, for 12 to 24 seconds: after a broken connection,
 * after a status of 500 or more, and after 429, where it waits as long as the service asks, at most a minute. A call
 * that only reads ends after 30 seconds in all; any other one when nothing of it was sent or answered for 2 minutes.
 */
export class DeckService {
  /** Whether the service has answered. Then a refused connection is retried, because the service may be restarting. */
  private hasAnswered = false;

  constructor(private readonly options: ServiceOptions & { transport: Transport }) {}

  /** The address of the service. */
  get baseUrl(): string {
    return this.options.baseUrl;
  }

  /** Closes the connections. A program ends without waiting for them. */
  close(): void {
    this.options.transport.close();
  }

  /** A client of the same service with another key, over the same connections. */
  withKey(key: string): DeckService {
    return new DeckService({ ...this.options, key });
  }

  /** The same client, whose calls also end when `signal` aborts. */
  withSignal(signal: AbortSignal): DeckService {
    return new DeckService({ ...this.options, signal: this.either(signal) });
  }

  /** Calls an endpoint with GET. */
  async get<N extends CallOf<'GET'>>(
    name: N,
    ...[query = {}, options = {}]: Asking<N>
  ): Promise<Contract[N]['answer']> {
    const { canRepeat = true, signal } = options;
    return this.send(name, { url: this.url(name, query), method: 'GET', headers: {}, signal }, canRepeat, true);
  }

  /** Calls an endpoint with POST and a JSON body. */
  async post<N extends CallOf<'POST'>>(
    name: N,
    input: Contract[N]['input'],
    { canRepeat = true, idempotencyKey, signal }: PostOptions = {},
  ): Promise<Contract[N]['answer']> {
    const body = new TextEncoder().encode(JSON.stringify(input));
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
    };
    const isRead = READING_POSTS.has(name) || (input as { dryRun?: boolean }).dryRun === true;
    return this.send(name, { url: this.url(name), method: 'POST', headers, body, signal }, canRepeat, isRead);
  }

  /** Sends a form with files. It is sent again after an answer such as 503, and not after a broken connection. */
  async postFiles<N extends keyof Contract>(
    name: N,
    { headers, open: body, onSent }: FilesForm,
    signal?: AbortSignal,
  ): Promise<Contract[N]['answer']> {
    const form = { url: this.url(name), method: 'POST' as const, headers: { ...headers }, body, onSent, signal };
    return this.send(name, form, 'after-answers');
  }

  /** Waits before attempt `attempt` + 1 of what failed so, and tells why. */
  async pauseAfter({ message }: Failure, attempt: number, signal?: AbortSignal): Promise<void> {
    this.onWait(message.replace(/\.$/, ''));
    await pause(backoff(attempt), this.either(signal));
    this.onWait('');
  }

  /** Bytes `from` to `to` (included) of a file of a deck. The answer may hold fewer bytes, but at least one. */
  async getBytes(
    query: { presentationId: string; version?: string; sha256: string },
    bytes: ByteRange,
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    return this.range(this.url('downloadPresentationAsset', query), bytes, signal);
  }

  /** Bytes `from` to `to` (included) of a signed address of the bucket, which gets no key. */
  async getSignedBytes(address: string, bytes: ByteRange, signal?: AbortSignal): Promise<Uint8Array> {
    return new DeckService({ ...this.options, key: undefined }).range(new URL(address), bytes, signal);
  }

  private async range(url: URL, { from, to }: ByteRange, signal?: AbortSignal): Promise<Uint8Array> {
    const wanted = to - from + 1;
    const headers = { Range: `bytes=${from}-${to}` };
    const outgoing: Outgoing = { url, method: 'GET', headers, signal, maxBytes: wanted + MAX_ERROR_BYTES };
    const incoming = await this.exchange(outgoing, true);
    const { status, bytes } = incoming;
    if (status === 206 && bytes.length > 0 && bytes.length <= wanted) return bytes;
    const isOfService = url.href.startsWith(`${this.options.baseUrl}/`);
    throw refusal(incoming, isOfService ? this.options.baseUrl : url.origin);
  }

  /** The picture of a slide, as `listSlidePictures` names it: a WebP. */
  async getSlidePicture(
    { presentationId, version, key, sha256 }: { presentationId: string; version: number; key: string; sha256: string },
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    const url = this.url(`getSlidePicture/${encodeURIComponent(presentationId)}/${version}`, { key, sha256 });
    const outgoing: Outgoing = { url, method: 'GET', headers: {}, signal, maxBytes: MAX_SLIDE_BYTES };
    const incoming = await this.exchange(outgoing, true);
    if (incoming.status !== 200) throw refusal(incoming, this.options.baseUrl);
    return incoming.bytes;
  }

  /**
   * The views of a deck that pass the filters, newest first, as CSV or as lines of JSON, which `onReceived` takes in
   * pieces. It is called again after an answer such as 503, and not after a broken connection.
   */
  async exportViews(
    query: Omit<Contract['listPresentationViews']['input'], 'limit' | 'cursor'> & { format: 'csv' | 'ndjson' },
    onReceived: (bytes: Uint8Array) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    const url = this.url('exportPresentationViews', query);
    const maxBytes = Number.MAX_SAFE_INTEGER;
    const outgoing: Outgoing = { url, method: 'GET', headers: {}, signal, maxBytes, onReceived };
    const incoming = await this.exchange(outgoing, 'after-answers');
    if (incoming.status !== 200) throw refusal(incoming, this.options.baseUrl);
  }

  /** The logo of the organization. */
  async getLogo(signal?: AbortSignal): Promise<{ bytes: Uint8Array; contentType: string }> {
    const outgoing: Outgoing = {
      url: this.url('getOrganizationLogo'),
      method: 'GET',
      headers: {},
      signal,
      maxBytes: MAX_LOGO_BYTES,
    };
    const incoming = await this.exchange(outgoing, true);
    if (incoming.status !== 200) throw refusal(incoming, this.options.baseUrl);
    return { bytes: incoming.bytes, contentType: incoming.headers['content-type'] ?? '' };
  }

  /** Sends a large file to the signed address of the bucket that the service granted. */
  async putFile(upload: ResumableUpload, signal?: AbortSignal): Promise<void> {
    await sendResumable(upload, {
      transport: this.options.transport,
      onWait: this.onWait,
      signal: this.either(signal),
    });
  }

  /** The signal of a call, which the signal of the client ends, too. */
  private either(signal: AbortSignal | undefined): AbortSignal | undefined {
    const signals = [signal, this.options.signal].filter((each) => each !== undefined);
    return signals.length > 1 ? AbortSignal.any(signals) : signals[0];
  }

  private readonly onWait = (reason: string) => this.options.onWait?.(reason);

  private url(name: string, query: object = {}): URL {
    const url = new URL(`${this.options.baseUrl}/${name}`);
    for (const [field, value] of Object.entries(query as Record<string, string | number | undefined>))
      if (value !== undefined) url.searchParams.set(field, String(value));
    return url;
  }

  /** Sends, and resolves with `data` of a success. Throws every other answer as a failure. */
  private async send<N extends keyof Contract>(
    name: N,
    outgoing: Omit<Outgoing, 'maxBytes'>,
    canRepeat: Repeats = true,
    isRead = false,
  ): Promise<Contract[N]['answer']> {
    const incoming = await this.exchange({ ...outgoing, maxBytes: MAX_ANSWER_BYTES }, canRepeat, isRead);
    return readAnswer(name, incoming, this.options.baseUrl);
  }

  /** Sends, and retries where that is allowed. A call that only reads has a time limit for all attempts. */
  private async exchange(outgoing: Outgoing, canRepeat: Repeats, isRead = false): Promise<Incoming> {
    const patience = new Patience(isRead, (isSilent) => this.options.onSilence?.(isSilent), this.options.readRetriesMs);
    const ofCaller = this.either(outgoing.signal);
    const signal = ofCaller ? AbortSignal.any([ofCaller, patience.signal]) : patience.signal;
    try {
      return await this.attempt(patience.watch({ ...outgoing, signal }), canRepeat, patience);
    } catch (error) {
      if (!patience.signal.aborted || ofCaller?.aborted) throw error;
      throw unreachable(this.options.baseUrl, 'ETIMEDOUT', error);
    } finally {
      patience.stop();
    }
  }

  private async attempt(outgoing: Outgoing, canRepeat: Repeats, patience: Patience): Promise<Incoming> {
    if (this.options.key) outgoing.headers['Authorization'] = `Bearer ${headerText(this.options.key)}`;
    for (let attempt = 1; ; attempt++) {
      const isLast = !canRepeat || attempt === MAX_ATTEMPTS;
      let wait: number | undefined;
      let reason: string;
      try {
        const incoming = await this.options.transport.exchange(outgoing);
        this.hasAnswered = true;
        patience.progress();
        wait = isLast || isLimit(incoming) ? undefined : waitAfter(incoming.status, incoming.headers, attempt);
        if (wait === undefined || !patience.lasts(wait)) return incoming;
        const seconds = Math.ceil(wait / 1000);
        reason =
          incoming.status === 429 ? `The service asks to wait ${seconds} s` : `The service answered ${incoming.status}`;
      } catch (error) {
        const code = systemCode(error);
        if (error instanceof Failure || !isNetworkError(code) || outgoing.signal?.aborted) throw error;
        wait = backoff(attempt);
        const isGone = isUnreachable(code) && !this.hasAnswered;
        if (isLast || canRepeat === 'after-answers' || isGone || !patience.lasts(wait))
          throw unreachable(this.options.baseUrl, code, error);
        reason = code === 'ECONNREFUSED' ? 'The service is not answering' : `The connection failed (${code})`;
      }
      this.onWait(reason);
      await pause(wait, outgoing.signal);
      this.onWait('');
    }
  }
}

/** A key as the value of a header. A line break in it would be an error of the connection. */
function headerText(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new Failure('The key is not valid: it has a space, a line break or a letter that no key has.', {
    code: 'unauthenticated',
  });
}
