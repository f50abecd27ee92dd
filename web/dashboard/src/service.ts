import { signal } from '@preact/signals';
import {
  DeckService,
  BrowserTransport,
  type Contract,
  type Incoming,
  type Outgoing,
  type ServiceOptions,
  type Transport,
} from 'deckhost-client/browser';
import { accessToken, forgetToken, leaveEnded } from './access';
import { serviceUrl } from './addresses';
import { session } from './session';

export { Failure, isFailure } from 'deckhost-client/browser';
export type { Contract };

/** What a call answers, by the name of its function. */
export type Answer<N extends keyof Contract> = Contract[N]['answer'];

/** Why the service waits before it tries again, or an empty string. The page says it. */
export const waitReason = signal('');
/** The number of calls without an answer for 3 seconds. */
export const silentCalls = signal(0);

/** A page tells within 3 seconds that the service fails, and the person decides whether to try again. */
const READ_RETRIES_MS = 2_500;

/** Adds the token of the session to each call of the service, and renews it once when the service refuses it. */
class SessionTransport implements Transport {
  private readonly inner = new BrowserTransport();
  readonly maxPieceBytes = this.inner.maxPieceBytes;

  async exchange(outgoing: Outgoing): Promise<Incoming> {
    const isOfService = outgoing.url.href.startsWith(`${serviceUrl}/`);
    if (!isOfService || !session.value) return this.inner.exchange(outgoing);
    const first = await accessToken();
    const incoming = await this.inner.exchange(withToken(outgoing, first));
    if (incoming.status !== 401) return incoming;
    forgetToken(first);
    const again = await this.inner.exchange(withToken(outgoing, await accessToken()));
    if (again.status === 401) leaveEnded();
    return again;
  }

  close(): void {
    this.inner.close();
  }
}

const withToken = (outgoing: Outgoing, token: string): Outgoing => ({
  ...outgoing,
  headers: { ...outgoing.headers, Authorization: `Bearer ${token}` },
});

const transport = new SessionTransport();
const clientWith = (options: Pick<ServiceOptions, 'readRetriesMs'>) =>
  new DeckService({
    ...options,
    baseUrl: serviceUrl,
    transport,
    onWait: (reason) => (waitReason.value = reason),
    onSilence: (isSilent) => (silentCalls.value += isSilent ? 1 : -1),
  });
const ofPages = clientWith({ readRetriesMs: READ_RETRIES_MS });
const ofUploads = clientWith({});

/** The client of the service with the present session. Its calls reject with a `Failure`. */
export const service = (): DeckService => ofPages;

/** The same for an upload, which survives a longer interruption. */
export const uploadService = (): DeckService => ofUploads;
