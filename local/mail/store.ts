import { open, type Database, type RootDatabase } from 'lmdb';
import { MailError } from './errors';
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

const DAY_MS = 24 * 3600 * 1000;

/**
 * Mails in the order of their arrival. Every write is one atomic transaction, serialised with all others, and on disk
 * before its promise resolves.
 */
export class MailStore {
  readonly #root: RootDatabase;
  readonly #messages: Database<Message, number>;
  readonly #numbers: Database<number, string>;
  readonly #byRecipient: Database<true, [string, number]>;
  readonly #answers: Database<StoredAnswer, string>;

  constructor(folder: string) {
    // With overlappingSync off, a transaction's promise resolves when the data is flushed, not only visible.
    this.#root = open({ path: folder, noSubdir: false, overlappingSync: false });
    this.#messages = this.#root.openDB({ name: 'messages' });
    this.#numbers = this.#root.openDB({ name: 'numbers' });
    this.#byRecipient = this.#root.openDB({ name: 'byRecipient' });
    this.#answers = this.#root.openDB({ name: 'answers' });
  }

  /**
   * Stores the mails and returns `answer`. A repeated request with the same idempotency key within 24 hours stores no
   * mail and returns the first answer. A different request with the same key throws 409.
   */
  accept<T>(messages: Message[], answer: T, idempotency?: Idempotency): Promise<{ answer: T; isNew: boolean }> {
    return this.#root.transaction(() => {
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
        void this.#answers.put(idempotency.key, { fingerprint, answer, expiresAt: Date.now() + DAY_MS });
      }
      let number = this.#lastNumber();
      for (const message of messages) {
        number++;
        void this.#messages.put(number, message);
        void this.#numbers.put(message.id, number);
        for (const to of recipients(message)) void this.#byRecipient.put([to, number], true);
      }
      return { answer, isNew: true };
    });
  }

  find(id: string): Message | undefined {
    const number = this.#numbers.get(id);
    return number === undefined ? undefined : this.#messages.get(number);
  }

  /** Up to `limit` mails, newest first. `to` selects a recipient, ignoring case. */
  list(limit: number, to?: string): Message[] {
    if (to === undefined) return [...this.#messages.getRange({ reverse: true, limit })].map(({ value }) => value);
    const address = bareAddress(to);
    const keys = this.#byRecipient.getKeys({ start: [address, Infinity], end: [address, 0], reverse: true, limit });
    return [...keys].map(([, number]) => this.#messages.get(number)!);
  }

  /** Deletes every mail. The answers to idempotency keys stay: a deleted mail was sent all the same. */
  clear(): Promise<void> {
    return this.#root.transaction(() => {
      for (const { key, value } of this.#messages.getRange()) {
        for (const to of recipients(value)) void this.#byRecipient.remove([to, key]);
        void this.#numbers.remove(value.id);
        void this.#messages.remove(key);
      }
    });
  }

  /** Deletes answers that are older than 24 hours. */
  async sweep(): Promise<void> {
    const old = [...this.#answers.getRange()].filter(({ value }) => value.expiresAt <= Date.now());
    await Promise.all(old.map(({ key }) => this.#answers.remove(key)));
  }

  close(): Promise<void> {
    return this.#root.close();
  }

  #lastNumber(): number {
    const [last] = this.#messages.getKeys({ reverse: true, limit: 1 });
    return last ?? 0;
  }
}

function recipients(message: Message): Set<string> {
  return new Set(message.to.map(bareAddress));
}
