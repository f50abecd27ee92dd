import type { Context } from '../context';
import { contextOfCall, timeLeftMs } from '../deadlines';

/** How long items wait for a call. Most calls end sooner, so only slow ones get another beside them. */
const PATIENCE_MS = 20;

/**
 * The largest number of calls of one kind at the same time. A connection carries 100 calls in Google's cloud, and all
 * kinds share it: slow calls of one kind leave room for the others.
 */
const MAX_CALLS = 20;

interface Options<Item, Answer> {
  /** Makes one call for all items, in the time of the context. Returns their answers in the same order. */
  call: (items: readonly Item[], context: Context) => Promise<readonly Answer[]>;
  /** The largest sum of sizes in one call. */
  maxSize: number;
  sizeOf: (item: Item) => number;
  /** Whether the call did nothing, and may have failed because of some of its items. */
  splitsAfter: (error: unknown) => boolean;
  /** Items with the same key fail for the same reasons, so a repeated call keeps them together. */
  keyOf?: (item: Item) => unknown;
  /**
   * How long items wait for the newest call to end, and how long for further items, in milliseconds: 20 unless given.
   */
  patienceMs?: number;
  /**
   * The last item that other groups have taken, when its answer is still missing. The requests that wait for it may
   * bring the next items of these groups, so a call waits for it once, for at most `patienceMs`.
   */
  following?: () => Promise<unknown> | undefined;
}

interface Member<Item, Answer> {
  item: Item;
  answer: Promise<Answer>;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/** The members of one call. */
interface Group<Item, Answer> {
  members: readonly Member<Item, Answer>[];
  /** The time of the first call for these members. A repeated call gets no further time. */
  context: Context;
}

/**
 * Joins items of several requests into one call. While a call runs, items wait, and the next call takes all of them. So
 * the calls per item fall as the load rises. A call never takes an item that came after its start.
 *
 * A slow call does not stop the next ones: when items have waited for `patienceMs`, their call starts beside it. At
 * most 20 calls run at the same time. Beyond that, items wait until any call ends, so slow calls make larger groups.
 *
 * A call that failed because of some items is repeated for each half of its keys, down to single keys, while the time
 * of the first call lasts. So an item fails only as it would have failed alone.
 */
export class Groups<Item, Answer> {
  readonly #options: Options<Item, Answer>;
  readonly #patienceMs: number;
  #waiting: Member<Item, Answer>[] = [];
  /** Halves of failed calls. They start before the waiting items. */
  readonly #halves: Group<Item, Answer>[] = [];
  #running = 0;
  /** The last group of waiting items, while its call runs and is not slow. */
  #newest: Group<Item, Answer> | undefined;
  #soon: NodeJS.Immediate | undefined;
  #late: NodeJS.Timeout | undefined;

  constructor(options: Options<Item, Answer>) {
    this.#options = options;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
  }

  /** Settles with the answer for the item, or with the error of its call. */
  join(item: Item): Promise<Answer> {
    let settle!: Pick<Member<Item, Answer>, 'resolve' | 'reject'>;
    const answer = new Promise<Answer>((resolve, reject) => (settle = { resolve, reject }));
    this.#waiting.push({ item, answer, ...settle });
    this.#schedule();
    return answer;
  }

  /** The answer for the item that joined last. Undefined when it has settled, or when its call is slow. */
  get last(): Promise<Answer> | undefined {
    return (this.#waiting.at(-1) ?? this.#newest?.members.at(-1))?.answer;
  }

  /** The next call starts after the newest call, and after the requests that have arrived already are read. */
  #schedule(): void {
    while (this.#halves.length > 0 && this.#running < MAX_CALLS) void this.#run(this.#halves.shift()!);
    if (this.#waiting.length === 0) return;
    if (this.#newest) this.#late ??= setTimeout(() => this.#passNewest(), this.#patienceMs);
    else if (this.#running < MAX_CALLS && !this.#soon)
      this.#soon = setImmediate(() => this.#gather(1, performance.now() + this.#patienceMs));
  }

  /** Stops waiting for the newest call, which is slow. */
  #passNewest(): void {
    this.#late = this.#newest = undefined;
    this.#schedule();
  }

  /**
   * Starts calls after a turn of the event loop that brought no item to the `known` ones. The answers of a call bring
   * the next requests of many clients, which arrive in several turns. One item alone does not wait for others.
   */
  #gather(known: number, until: number): void {
    const { length } = this.#waiting;
    const isPatient = performance.now() < until;
    if (length > known && isPatient) this.#soon = setImmediate(() => this.#gather(length, until));
    else if (isPatient) this.#follow(until);
    else this.#start();
  }

  /** Starts calls when the answers are there for which further items may wait. */
  #follow(until: number): void {
    const others = this.#options.following?.();
    if (!others) return this.#start();
    let late: NodeJS.Timeout | undefined;
    const isLate = new Promise((resolve) => (late = setTimeout(resolve, until - performance.now())));
    const start = () => {
      clearTimeout(late);
      this.#soon = setImmediate(() => this.#start());
    };
    void Promise.race([others, isLate]).then(start, start);
  }

  /** Starts calls for all waiting items, as far as calls may start. */
  #start(): void {
    clearTimeout(this.#late);
    this.#soon = this.#late = undefined;
    while (this.#waiting.length > 0 && this.#running < MAX_CALLS) {
      this.#newest = { members: this.#takeMembers(), context: contextOfCall() };
      void this.#run(this.#newest);
    }
    this.#schedule();
  }

  /** The first waiting members whose sizes fit into one call. */
  #takeMembers(): Member<Item, Answer>[] {
    const { maxSize, sizeOf } = this.#options;
    let size = 0;
    const tooMany = this.#waiting.findIndex(({ item }, i) => (size += sizeOf(item)) > maxSize && i > 0);
    return this.#waiting.splice(0, tooMany < 0 ? this.#waiting.length : tooMany);
  }

  /** Makes the call of a group. Settles its members, or leaves their halves to further calls. */
  async #run(group: Group<Item, Answer>): Promise<void> {
    const { members, context } = group;
    this.#running++;
    try {
      const items = members.map(({ item }) => item);
      const answers = await this.#options.call(items, context);
      members.forEach(({ resolve }, i) => resolve(answers[i]!));
    } catch (error) {
      const halves = this.#options.splitsAfter(error) && timeLeftMs(context) > 0 ? this.#halve(members) : [];
      if (halves.length === 0) members.forEach(({ reject }) => reject(error));
      this.#halves.push(...halves.map((half) => ({ members: half, context })));
    }
    this.#running--;
    if (this.#newest === group) this.#newest = undefined;
    this.#schedule();
  }

  /** Two parts of the members. None when all members have the same key. */
  #halve(members: readonly Member<Item, Answer>[]): Member<Item, Answer>[][] {
    const keys = members.map((member) => this.#options.keyOf?.(member.item) ?? member);
    const distinct = [...new Set(keys)];
    if (distinct.length === 1) return [];
    const first = new Set(distinct.slice(0, Math.ceil(distinct.length / 2)));
    return [members.filter((_, i) => first.has(keys[i]!)), members.filter((_, i) => !first.has(keys[i]!))];
  }
}
