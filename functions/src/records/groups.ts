const PATIENCE_MS = 20;

interface Options<Item, Answer> {
  /** Makes one call for all items. Returns their answers in the same order. */
  call: (items: readonly Item[]) => Promise<readonly Answer[]>;
  /** The largest sum of sizes in one call. */
  maxSize: number;
  sizeOf: (item: Item) => number;
  /** Whether the backend refused the call and did nothing. A single item may be the cause. */
  isRefusal: (error: unknown) => boolean;
  /** How long an item waits for the end of the call before its own, in milliseconds: 20 unless given. */
  patienceMs?: number;
}

interface Member<Item, Answer> {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Joins items of several requests into one call. While a call runs, items wait, and the next call takes all of them. So
 * the calls per item fall as the load rises. A call never takes an item that came after its start.
 *
 * A slow call does not stop the next ones: when an item has waited for `patienceMs`, its call starts beside the slow
 * one.
 *
 * A refused call is repeated for each half of its items, down to single items. So an
 * item fails only as it would have failed alone.
 */
export class Groups<Item, Answer> {
  readonly #options: Options<Item, Answer>;
  #waiting: Member<Item, Answer>[] = [];
  /** The last call that was started, while it runs. */
  #newest: Promise<void> | undefined;
  #soon: NodeJS.Immediate | undefined;
  #late: NodeJS.Timeout | undefined;

  constructor(options: Options<Item, Answer>) {
    this.#options = options;
  }

  /** Settles with the answer for the item, or with the error of its call. */
  join(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** The next call starts after the requests that have arrived already are read, and after the newest call. */
  #schedule(): void {
    if (this.#waiting.length === 0) return;
    if (this.#newest) this.#late ??= setTimeout(() => this.#start(), this.#options.patienceMs ?? PATIENCE_MS);
    else this.#soon ??= setImmediate(() => this.#start());
  }

  #start(): void {
    clearImmediate(this.#soon);
    clearTimeout(this.#late);
    this.#soon = this.#late = undefined;
    const call = this.#serve(this.#takeMembers()).finally(() => {
      if (this.#newest !== call) return;
      this.#newest = undefined;
      this.#schedule();
    });
    this.#newest = call;
    this.#schedule();
  }

  /** The first waiting members whose sizes fit into one call. */
  #takeMembers(): Member<Item, Answer>[] {
    const { maxSize, sizeOf } = this.#options;
    let size = 0;
    const tooMany = this.#waiting.findIndex(({ item }, i) => (size += sizeOf(item)) > maxSize && i > 0);
    return this.#waiting.splice(0, tooMany < 0 ? this.#waiting.length : tooMany);
  }

  async #serve(members: Member<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.#options.call(members.map(({ item }) => item));
      members.forEach(({ resolve }, i) => resolve(answers[i]!));
    } catch (error) {
      if (members.length === 1 || !this.#options.isRefusal(error)) {
        return members.forEach(({ reject }) => reject(error));
      }
      const half = Math.ceil(members.length / 2);
      await Promise.all([this.#serve(members.slice(0, half)), this.#serve(members.slice(half))]);
    }
  }
}
