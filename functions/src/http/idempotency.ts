import { createHash } from 'node:crypto';
import { serviceSecrets } from '../config';
import { fail } from '../errors';
import { logWarning } from '../log';
import { readIn, type Transaction } from '../records/database';
import { findAnswer, keepAnswer } from '../records/idempotency-records';
import { presentationRef } from '../records/presentations';
import { transact } from '../records/transact';
import { mac, seal, unseal } from '../values/secrets';
import type { Authorize, Caller } from './caller';

const TTL_SECONDS = 24 * 3600;
const PURPOSE = 'idempotent-answer';

/** What identifies a call, and what a replay checks. */
interface OneCall {
  endpointName: string;
  caller: Caller | undefined;
  authorize: Authorize;
  input: unknown;
  now: Date;
}

/**
 * Makes a call with an `Idempotency-Key` idempotent: the transaction that does the work also stores the answer. For 24
 * hours a call with the same caller, endpoint, key and body gets the stored answer, as long as the caller may still act
 * on the deck. Without the header the call is a plain transaction.
 */
export class Idempotency {
  /** Whether the answer is the stored answer of an earlier call. */
  isReplay = false;

  private constructor(
    private readonly id: string | undefined,
    private readonly body: string,
    private readonly call: OneCall,
  ) {}

  /**
   * `key` is undefined when the request has no Idempotency-Key, or when the endpoint does not honour it. Throws
   * invalid-argument for a malformed key.
   */
  static of(key: string | undefined, call: OneCall): Idempotency {
    if (key === undefined) return new Idempotency(undefined, '', call);
    const { endpointName, caller, input } = call;
    if (!/^[\x21-\x7e]{1,256}$/.test(key)) {
      fail('invalid-argument', {
        errors: [
          { location: 'header.Idempotency-Key', message: 'Idempotency-Key must be 1 to 256 visible ASCII characters.' },
        ],
      });
    }
    const digest = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex');
    const callerId = caller?.userId ?? caller?.keyId ?? '';
    return new Idempotency(digest(callerId, endpointName, key), JSON.stringify(input), call);
  }

  /** Whether another call may carry the same key, at the same time or later. False without a key. */
  get isShared(): boolean {
    return this.id !== undefined;
  }

  /**
   * Runs `body` in a transaction and stores, sealed, the part of its answer that `withoutSecrets` returns. When an
   * earlier call stored its part, returns that and does not run `body`. Throws as `findEarlier` does.
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
   * Stores the plan of a call that also works outside of its transactions, so that a retry within 24 hours resumes the
   * same plan. The transaction that ends the call replaces the plan with the answer (`finish`). Both transactions must
   * call `findEarlier` first.
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
      bodyHash: hashOf(serviceSecrets.current(), this.body),
      answer: seal(serviceSecrets.current(), PURPOSE, JSON.stringify(value), this.id),
      ...(isBegun && { isBegun }),
      expiresAt: new Date(this.call.now.getTime() + TTL_SECONDS * 1000),
    });
  }

  /**
   * Returns the answer of an earlier call, if it stored one. Throws as `findEarlier` does. One read, and one more for a
   * replay about a deck.
   */
  async find(tx?: Transaction): Promise<unknown> {
    return (await this.findEarlier(tx)).answer;
  }

  /**
   * Returns the answer of an earlier call, or its plan when the call has not ended. Returns neither when the service
   * secret that sealed them is gone. Throws conflict when the earlier
   * call had another body. For an answer it throws permission-denied when the caller may no longer act on its deck, and
   * not-found when that deck was deleted.
   */
  async findEarlier(tx?: Transaction): Promise<{ answer?: unknown; begun?: unknown }> {
    if (this.id === undefined) return {};
    const record = await findAnswer(this.id, tx);
    if (!record || record.expiresAt <= this.call.now) return {};
    const kept = this.open(record.answer);
    if (!kept) return {};
    if (!serviceSecrets.accepted().some((secret) => record.bodyHash === hashOf(secret, this.body))) {
      fail('conflict', undefined, {
        message: 'This Idempotency-Key was used with another body.',
        nextAction: 'Use a new Idempotency-Key.',
      });
    }
    if (record.isBegun) return { begun: kept.value };
    await this.assertMayReplay(kept.value, tx);
    this.isReplay = true;
    return { answer: kept.value };
  }

  /** The kept value; undefined when the secret that sealed it is gone, so that the key counts as unknown. */
  private open(sealed: string): { value: unknown } | undefined {
    try {
      return { value: JSON.parse(unseal(serviceSecrets.accepted(), PURPOSE, sealed, this.id!)) };
    } catch (error) {
      logWarning('The answer of an Idempotency-Key was sealed with a service secret that is gone.', error);
      return undefined;
    }
  }

  /**
   * For a call that failed with `error`: returns the stored answer of an earlier call, and throws `error` when there is
   * none. A retry may fail because the first call succeeded: that call consumed the session, or changed the base
   * version.
   */
  async answerInstead(error: unknown): Promise<unknown> {
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

/** A keyed hash: a body may hold the passcode of a link, which a plain hash would reveal. */
const hashOf = (secret: string, body: string) => mac(secret, 'idempotency-body', body);

/** The id of the deck that an input or an answer names. */
function deckOf(value: unknown): string | undefined {
  const { presentationId } = value as { presentationId?: unknown };
  return typeof presentationId === 'string' ? presentationId : undefined;
}
