import { computed, signal } from '@preact/signals';
import {
  DeckService,
  BrowserTransport,
  type Contract,
  type Incoming,
  type Outgoing,
  type ServiceOptions,
  type Transport,
} from 'deckhost-client/browser';
import { serviceUrl } from './addresses';
import { navigate, signInPath } from './navigation';
import { endSession, session } from './session';

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

/** Sends with `fetch`, and notices when the service does not accept the session any more. */
class SessionTransport implements Transport {
  private readonly inner = new BrowserTransport();
  readonly maxPieceBytes = this.inner.maxPieceBytes;

  async exchange(outgoing: Outgoing): Promise<Incoming> {
    const incoming = await this.inner.exchange(outgoing);
    const sent = outgoing.headers['Authorization'];
    if (incoming.status === 401 && sent && sent === `Bearer ${session.value?.token}`) {
      endSession();
      navigate(`${signInPath()}&ended=1`, { replace: true });
    }
    return incoming;
  }

  close(): void {
    this.inner.close();
  }
}

const transport = new SessionTransport();
const clientWith = (options: Pick<ServiceOptions, 'readRetriesMs'>) =>
  computed(() => {
    const onWait = (reason: string) => (waitReason.value = reason);
    const onSilence = (isSilent: boolean) => (silentCalls.value += isSilent ? 1 : -1);
    const key = session.value?.token;
    return new DeckService({ ...options, baseUrl: serviceUrl, key, transport, onWait, onSilence });
  });
const ofPages = clientWith({ readRetriesMs: READ_RETRIES_MS });
const ofUploads = clientWith({});

/** The client of the service with the present session. Its calls reject with a `Failure`. */
export const service = (): DeckService => ofPages.value;

/** The same for an upload, which survives a longer interruption. */
export const uploadService = (): DeckService => ofUploads.value;
