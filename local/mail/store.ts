import { type Codec, numberCodec, textCodec } from '../data/codecs';
import { DataFile } from '../data/data-file';
import type { Table } from '../data/table';
import { MailError } from './errors';
import { eventsOf, newEvent, type MailEventType, type PendingEvent } from './pending-event';
import { bareAddress, type Message } from './message';

/** The idempotency key of a request, with the request's hash. */
export interface Idempotency {
  key: string;
  /** SHA-256 of the path and the body. */
  fingerprint: string;
}

interface StoredAnswer {
  fingerprint: string;
  answer: unknown;
  expiresAt: number;
}

/** A recipient and the number of a mail. */
type Received = [address: string, number: number];

const receivedCodec: Codec<Received, true> = {
  ...textCodec<true>(),
  encodeKey: ([address, number]) => Buffer.concat([Buffer.from(`${address}\0`), numberCodec().encodeKey(number)]),
  decodeKey: (bytes) => [bytes.subarray(0, -9).toString('utf8'), bytes.readDoubleBE(bytes.length - 8)],
};

const DAY_MS = 24 * 3600 * 1000;

/**
 * Mails in the order of their arrival. Every write is atomic, serialised with all others, and on disk before its
 * promise resolves. Throws DiskError when the disk is full.
 */
export class MailStore {
  readonly #data: DataFile;
  readonly #messages: Table<number, Message>;
  readonly #numbers: Table<string, number>;
  readonly #byRecipient: Table<Received, true>;
  readonly #answers: Table<string, StoredAnswer>;
  readonly #events: Table<number, PendingEvent>;

  constructor(folder: string, isTemporary: boolean) {
    const tables = ['messages', 'numbers', 'byRecipient', 'answers', 'events'];
    this.#data = DataFile.open(folder, { store: 'mail', tables, isTemporary });
    this.#messages = this.#data.table('messages', numberCodec<Message>());
    this.#numbers = this.#data.table('numbers', textCodec<number>());
    this.#byRecipient = this.#data.table('byRecipient', receivedCodec);
    this.#answers = this.#data.table('answers', textCodec<StoredAnswer>());
    this.#events = this.#data.table('events', numberCodec<PendingEvent>());
    this.#data.ready();
  }

  /**
   * Stores the mails and returns `answer`. A repeated request with the same idempotency key within 24 hours stores no
   * mail and returns the first answer. A different request with the same key throws 409.
   */
  accept<T>(messages: Message[], answer: T, idempotency?: Idempotency): Promise<{ answer: T; isNew: boolean }> {
    return this.#data.write(() => {
      if (idempotency) {
        const first = this.#answers.get(idempotency.key);
        if (first && first.expiresAt > Date.now()) {
          if (first.fingerprint === idempotency.fingerprint) return { answer: first.answer as T, isNew: false };
          throw new MailError(
            409,
            'invalid_idempotent_request',
            'This idempotency key has been used with a different request payload. Retrying this request is useless without changing the idempotency key or payload.',
          );
        }
        const { fingerprint } = idempotency;
        this.#answers.put(idempotency.key, { fingerprint, answer, expiresAt: Date.now() + DAY_MS });
      }
      let number = this.#lastNumber();
      for (const message of messages) {
        number++;
        this.#messages.put(number, message);
        this.#numbers.put(message.id, number);
        for (const to of recipients(message)) this.#byRecipient.put([to, number], true);
        for (const event of eventsOf(message, Date.now())) this.#addEvent(event);
      }
      return { answer, isNew: true };
    });
  }

  /** What happens to a mail later. Returns whether there is such a mail. */
  tell(id: string, type: MailEventType): Promise<boolean> {
    return this.#data.write(() => {
      const number = this.#numbers.get(id);
      if (number === undefined) return false;
      this.#messages.put(number, { ...this.#messages.get(number)!, lastEvent: type });
      this.#addEvent(newEvent(id, type, Date.now()));
      return true;
    });
  }

  /** The events that were not taken yet, the oldest first. */
  pendingEvents(): [key: number, event: PendingEvent][] {
    return [...this.#events.range()].map(({ key, value }) => [key, value]);
  }

  /** Stores an event for another attempt; undefined removes it. */
  settleEvent(key: number, event: PendingEvent | undefined): Promise<void> {
    return this.#data.write(() => (event ? this.#events.put(key, event) : this.#events.remove(key)));
  }

  find(id: string): Message | undefined {
    const number = this.#numbers.get(id);
    return number === undefined ? undefined : this.#messages.get(number);
  }

  /** Up to `limit` mails, newest first. `to` selects a recipient, ignoring case. */
  list(limit: number, to?: string): Message[] {
    if (to === undefined) return [...this.#messages.range({ reverse: true, limit })].map(({ value }) => value);
    const address = bareAddress(to);
    const keys = this.#byRecipient.keys({ start: [address, Infinity], end: [address, 0], reverse: true, limit });
    return [...keys].map(([, number]) => this.#messages.get(number)!);
  }

  /** Deletes every mail. The answers to idempotency keys stay: a deleted mail was sent all the same. */
  clear(): Promise<void> {
    return this.#data.write(() => {
      for (const { key, value } of [...this.#messages.range()]) {
        for (const to of recipients(value)) this.#byRecipient.remove([to, key]);
        this.#numbers.remove(value.id);
        this.#messages.remove(key);
      }
    });
  }

  /** Deletes answers that are older than 24 hours. */
  async sweep(): Promise<void> {
    const old = [...this.#answers.range()].filter(({ value }) => value.expiresAt <= Date.now());
    await this.#data.write(() => old.forEach(({ key }) => this.#answers.remove(key)));
  }

  /** Compares the mails with their ids and recipients: a sentence for each difference. */
  *problems(): Generator<string> {
    let expected = 0;
    for (const { key, value: message } of this.#messages.range()) {
      const received = [...recipients(message)].map((to): Received => [to, key]);
      expected += received.length + 1;
      const isListed = this.#numbers.get(message.id) === key && received.every((each) => this.#byRecipient.get(each));
      if (!isListed) yield `Mail: the mail ${message.id} cannot be found by its id or its recipients.`;
    }
    const found = [...this.#numbers.keys()].length + [...this.#byRecipient.keys()].length;
    if (found > expected) yield `Mail: ${found - expected} entries have no mail.`;
  }

  close(): Promise<void> {
    return this.#data.close();
  }

  #addEvent(event: PendingEvent): void {
    const [last = 0] = this.#events.keys({ reverse: true, limit: 1 });
    this.#events.put(last + 1, event);
  }

  #lastNumber(): number {
    const [last] = this.#messages.keys({ reverse: true, limit: 1 });
    return last ?? 0;
  }
}

function recipients(message: Message): Set<string> {
  return new Set(message.to.map(bareAddress));
}
