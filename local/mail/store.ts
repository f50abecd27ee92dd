import { open, type Database, type RootDatabase } from 'lmdb';
import { MailError } from './errors';
import { bareAddress, type Message } from './message';

/** Under which key and for which request an answer was given. */
export interface Idempotency {
  key: string;
  /** Hash of what was asked. */
  fingerprint: string;
}

interface Remembered {
  fingerprint: string;
  answer: unknown;
  expiresAt: number;
}

const DAY_MS = 24 * 3600 * 1000;

/**
 * Mails in the order of their arrival. Every write is one atomic transaction, serialised with all others, and on disk before its
 * promise resolves.
 */
export class MailStore {
  readonly #root: RootDatabase;
  readonly #messages: Database<Message, number>;
  readonly #numbers: Database<number, string>;
  readonly #byRecipient: Database<true, [string, number]>;
  readonly #answers: Database<Remembered, string>;

  constructor(folder: string) {
    // Without overlappingSync a transaction's promise means "flushed", not just "visible".
    this.#root = open({ path: folder, noSubdir: false, overlappingSync: false });
    this.#messages = this.#root.openDB({ name: 'messages' });
    this.#numbers = this.#root.openDB({ name: 'numbers' });
    this.#byRecipient = this.#root.openDB({ name: 'byRecipient' });
    this.#answers = this.#root.openDB({ name: 'answers' });
  }

  /**
   * Keeps the mails and answers `answer`. With an idempotency key the first answer of 24 hours is given again and nothing is kept
   * a second time; another request under the same key is a 409.
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

  /** Newest first; `to` is an address in any case. */
  list(limit: number, to?: string): Message[] {
    if (to === undefined) return [...this.#messages.getRange({ reverse: true, limit })].map(({ value }) => value);
    const address = bareAddress(to);
    const keys = this.#byRecipient.getKeys({ start: [address, Infinity], end: [address, 0], reverse: true, limit });
    return [...keys].map(([, number]) => this.#messages.get(number)!);
  }

  /** Empties the inbox; answers to idempotency keys are kept, as deleting a mail does not unsend it. */
  clear(): Promise<void> {
    return this.#root.transaction(() => {
      for (const { key, value } of this.#messages.getRange()) {
        for (const to of recipients(value)) void this.#byRecipient.remove([to, key]);
        void this.#numbers.remove(value.id);
        void this.#messages.remove(key);
      }
    });
  }

  /** Forgets answers that are older than a day. */
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
