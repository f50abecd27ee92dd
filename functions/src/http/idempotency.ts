import { createHash } from 'node:crypto';
import { serviceSecret } from '../config';
import { fail, ServiceError, type ErrorCode } from '../errors';
import { seal, unseal } from '../values/secrets';
import { readIn, type Transaction } from '../records/database';
import { findAnswer, keepAnswer } from '../records/idempotency-records';
import { presentationRef } from '../records/presentations';
import { transact } from '../records/transact';
import type { Caller } from './authenticate';
import type { Authorize } from './authorize';

/** Errors that a stored idempotent answer must not override. */
const REFUSALS = new Set<ErrorCode>(['unauthenticated', 'permission-denied']);

const TTL_SECONDS = 24 * 3600;
const PURPOSE = 'idempotent-answer';

/** The call that is to happen once. */
interface OneCall {
  endpointName: string;
  caller: Caller | undefined;
  authorize: Authorize;
  input: unknown;
  now: Date;
}

/**
 * Makes a call with an `Idempotency-Key` happen once: its answer is written in the transaction that does the work, and the same
 * caller, endpoint, key and body get it again for 24 hours, as long as the caller may still act on the deck. Without the header it is a plain
 * transaction.
 */
export class Idempotency {
  /** Whether the answer is that of an earlier call. */
  isReplay = false;

  private constructor(
    private readonly id: string | undefined,
    private readonly bodyHash: string,
    private readonly call: OneCall,
  ) {}

  /** `key` is undefined when none was sent, or when the endpoint takes none. */
  static of(key: string | undefined, call: OneCall): Idempotency {
    if (key === undefined) return new Idempotency(undefined, '', call);
    const { endpointName, caller, input } = call;
    if (!/^[\x21-\x7e]{1,256}$/.test(key)) {
      fail('invalid-argument', {
        errors: [
          { location: 'header.Idempotency-Key', message: 'Idempotency-Key is 1 to 256 visible ASCII characters.' },
        ],
      });
    }
    const digest = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex');
    const callerId = caller?.userId ?? caller?.keyId ?? '';
    return new Idempotency(digest(callerId, endpointName, key), digest(JSON.stringify(input)), call);
  }

  /** Whether other calls may be this one: with a key they may, at this moment or later. */
  get isShared(): boolean {
    return this.id !== undefined;
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
    keepAnswer(tx, this.id, {
      bodyHash: this.bodyHash,
      answer: seal(serviceSecret.value(), PURPOSE, JSON.stringify(value), this.id),
      ...(isBegun && { isBegun }),
      expiresAt: new Date(this.call.now.getTime() + TTL_SECONDS * 1000),
    });
  }

  /** The answer of an earlier call, if there was one; see `look`. */
  async find(tx?: Transaction): Promise<unknown> {
    return (await this.look(tx)).answer;
  }

  /**
   * The answer of an earlier call, or what it has begun when it did not come to its end (yet). 409 when its body was another; 403 and 404 when there is
   * an answer and the caller may not act on its deck any more, or the deck is gone.
   */
  async look(tx?: Transaction): Promise<{ answer?: unknown; begun?: unknown }> {
    if (this.id === undefined) return {};
    const record = await findAnswer(this.id, tx);
    if (!record || record.expiresAt <= this.call.now) return {};
    if (record.bodyHash !== this.bodyHash) {
      fail('conflict', undefined, {
        message: 'This Idempotency-Key was used with another body.',
        nextAction: 'Use a new key.',
      });
    }
    const open = (sealed: string): unknown => JSON.parse(unseal(serviceSecret.value(), PURPOSE, sealed, this.id!));
    if (record.isBegun) return { begun: open(record.answer) };
    const answer = open(record.answer);
    await this.assertMayReplay(answer, tx);
    this.isReplay = true;
    return { answer };
  }

  /**
   * The stored answer of an earlier call, when this one failed with `error`; otherwise it throws `error`. A retry may fail because the
   * first call succeeded: the session is consumed, or the base version has moved on.
   */
  async answerInstead(error: unknown): Promise<unknown> {
    if (error instanceof ServiceError && REFUSALS.has(error.code)) throw error;
    const earlier = await this.find();
    if (earlier === undefined) throw error;
    return earlier;
  }

  private async assertMayReplay(answer: unknown, tx: Transaction | undefined): Promise<void> {
    const { caller, authorize, input } = this.call;
    const deckId = deckOf(input) ?? deckOf(answer);
    if (!caller || deckId === undefined) return;
    const [deck] = await readIn(tx, presentationRef(deckId));
    authorize(deck);
  }
}

/** The deck that an input or an answer names. */
function deckOf(value: unknown): string | undefined {
  const { presentationId } = value as { presentationId?: unknown };
  return typeof presentationId === 'string' ? presentationId : undefined;
}
