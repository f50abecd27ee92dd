import { Webhook } from 'standardwebhooks';
import { post } from '../http/post';
import type { Message } from './message';
import type { PendingEvent } from './pending-event';
import type { MailStore } from './store';

/**
 * The pauses of Resend after a failure (https://resend.com/docs/dashboard/webhooks/retries-and-replays), in seconds.
 */
const PAUSES = [5, 300, 1800, 7200, 18_000, 36_000];
/** A clock that jumps, as it does after sleep, makes an event late by at most this. */
const LONGEST_PAUSE_MS = 1000;
const ATTEMPT_MS = 30_000;

export interface MailEventsOptions {
  store: MailStore;
  /** The function that takes the events. */
  url: string;
  /** The secret of the webhook: `whsec_` and base64. */
  secret: string;
  /** Whether events are sent when they are due. Otherwise `runDue` sends them. */
  isTimed: boolean;
  log?: (line: string) => void;
}

/** Sends what became of mails to a function, signed as Resend does: in their order, at least once, with retries. */
export class MailEvents {
  readonly #options: MailEventsOptions;
  readonly #log: (line: string) => void;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MailEventsOptions) {
    this.#options = options;
    this.#log = options.log ?? ((line) => console.error(line));
    this.wake();
  }

  /** Sends each event that is stored now once, whether it is due or not. */
  async runDue(): Promise<void> {
    await this.#running;
    for (const [key, event] of this.#options.store.pendingEvents()) await this.#send(key, event);
  }

  /** An event may be due. */
  wake(): void {
    clearTimeout(this.#timer);
    if (this.#stop.signal.aborted || !this.#options.isTimed) return;
    this.#running ??= this.#sendDue()
      // Such as a full disk. The event stays as it is.
      .catch((error: Error) => this.#log(`mail events: ${error.message}`))
      .finally(() => {
        this.#running = undefined;
        if (this.#stop.signal.aborted) return;
        this.#timer = setTimeout(() => this.wake(), LONGEST_PAUSE_MS);
      });
  }

  /** The next start repeats an event that was cut off. */
  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #sendDue(): Promise<void> {
    for (const [key, event] of this.#options.store.pendingEvents())
      if (event.dueAt <= Date.now() && !this.#stop.signal.aborted) await this.#send(key, event);
  }

  async #send(key: number, event: PendingEvent): Promise<void> {
    const { store, url, secret } = this.#options;
    const message = store.find(event.messageId);
    const status = message && (await this.#post(url, secret, event, message).catch(String));
    if (this.#stop.signal.aborted) return;
    const isTaken = !message || (typeof status === 'number' && status < 300);
    const pause = isTaken ? undefined : PAUSES[event.attempts];
    const next = pause === undefined ? undefined : { attempts: event.attempts + 1, dueAt: Date.now() + pause * 1000 };
    await store.settleEvent(key, next && { ...event, ...next });
    if (!isTaken) this.#log(`mail event ${event.type} of ${event.messageId} was not taken: ${status}`);
  }

  #post(url: string, secret: string, { id, type, at }: PendingEvent, message: Message): Promise<number> {
    const { id: messageId, from, to, subject, createdAt, tags } = message;
    const body = JSON.stringify({
      type: `email.${type}`,
      created_at: new Date(at).toISOString(),
      data: {
        email_id: messageId,
        from,
        to,
        subject,
        created_at: createdAt,
        tags: Object.fromEntries(tags.map(({ name, value }) => [name, value])),
        ...(type === 'bounced' && { bounce: { type: 'Permanent', subType: 'General', message: BOUNCE } }),
        ...(type === 'suppressed' && { suppressed: { type: 'OnAccountSuppressionList', message: SUPPRESSED } }),
      },
    });
    const now = new Date();
    const headers = {
      'content-type': 'application/json',
      'svix-id': id,
      'svix-timestamp': String(Math.floor(now.getTime() / 1000)),
      'svix-signature': new Webhook(secret).sign(id, now, body),
    };
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(ATTEMPT_MS)]);
    return post(url, { headers, body: Buffer.from(body), signal });
  }
}

const BOUNCE = "The recipient's mail server refused the mail: the mailbox does not exist.";
const SUPPRESSED = 'The address is on the suppression list, because it refused a mail before.';
