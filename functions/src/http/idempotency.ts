import { createHash } from 'node:crypto';
import { serviceSecret } from '../config';
import { seal, unseal } from '../policy/secrets';
import { db, read, type Reader, type Transaction } from '../records/database';
import { transact } from '../records/transact';
import { idempotencyRef } from '../records/idempotency-records';
import { fail } from '../policy/errors';

const TTL_SECONDS = 24 * 3600;
const PURPOSE = 'idempotent-answer';

/**
 * Makes a call with an `Idempotency-Key` happen once: its answer is written in the transaction that does the work, and the same
 * caller, endpoint, key and body get it again for 24 hours. Without the header it is a plain transaction.
 */
export class Idempotency {
  /** Whether the answer is that of an earlier call. */
  isReplay = false;

  private constructor(
    private readonly id: string | undefined,
    private readonly bodyHash: string,
    private readonly now: Date,
  ) {}

  /** `key` is undefined when none was sent, or when the endpoint takes none. */
  static of(key: string | undefined, endpointName: string, callerId: string, input: unknown, now: Date): Idempotency {
    if (key === undefined) return new Idempotency(undefined, '', now);
    if (!/^[\x21-\x7e]{1,256}$/.test(key)) {
      fail('invalid-argument', {
        errors: [
          { location: 'header.Idempotency-Key', message: 'Idempotency-Key is 1 to 256 visible ASCII characters.' },
        ],
      });
    }
    const digest = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex');
    return new Idempotency(digest(callerId, endpointName, key), digest(JSON.stringify(input)), now);
  }

  /**
   * Runs `body` in a transaction, or answers what it answered before. `withoutSecrets` gives the part of the answer that may be kept;
   * it is kept sealed.
   */
  run<T>(body: (tx: Transaction) => Promise<T>, withoutSecrets: (answer: T) => Partial<T>): Promise<T> {
    return transact(async (tx) => {
      const earlier = await this.find(tx);
      if (earlier) return earlier as T;
      const answer = await body(tx);
      this.keep(tx, withoutSecrets(answer), false);
      return answer;
    });
  }

  /**
   * For a call that works outside of its transactions: notes what it is about to do, so that a retry goes on with the very same within a day. The
   * transaction that ends the call keeps its answer with `finish`. Both must `look` first.
   */
  begin(tx: Transaction, plan: unknown): void {
    this.keep(tx, plan, true);
  }

  finish(tx: Transaction, answer: unknown): void {
    this.keep(tx, answer, false);
  }

  private keep(tx: Transaction, value: unknown, isBegun: boolean): void {
    if (this.id === undefined) return;
    tx.set(idempotencyRef(this.id), {
      bodyHash: this.bodyHash,
      answer: seal(serviceSecret.value(), PURPOSE, JSON.stringify(value), this.id),
      ...(isBegun && { isBegun }),
      expiresAt: new Date(this.now.getTime() + TTL_SECONDS * 1000),
    });
  }

  /** The answer of an earlier call, if there was one; 409 when its body was another. */
  async find(reader: Reader = db()): Promise<unknown> {
    return (await this.look(reader)).answer;
  }

  /** The answer of an earlier call, or what it has begun when it did not come to its end (yet); 409 when its body was another. */
  async look(reader: Reader): Promise<{ answer?: unknown; begun?: unknown }> {
    if (this.id === undefined) return {};
    const [record] = await read(reader, idempotencyRef(this.id));
    if (!record || record.expiresAt <= this.now) return {};
    if (record.bodyHash !== this.bodyHash) {
      fail('conflict', undefined, {
        message: 'This Idempotency-Key was used with another body.',
        nextAction: 'Use a new key.',
      });
    }
    const open = (sealed: string): unknown => JSON.parse(unseal(serviceSecret.value(), PURPOSE, sealed, this.id!));
    if (record.isBegun) return { begun: open(record.answer) };
    this.isReplay = true;
    return { answer: open(record.answer) };
  }
}
