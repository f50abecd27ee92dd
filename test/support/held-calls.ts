/** Calls that a gateway holds. */
export interface HeldCalls {
  /** Resolves when the gateway holds the calls. Rejects when `pending` settles before that. */
  until(pending: Promise<unknown>): Promise<void>;
  /** Passes the held calls on. The gateway holds no further call. */
  release(): void;
}

/** Does `work` while the gateway holds a call, and lets the call go on. */
export async function meanwhile<T>(held: HeldCalls, call: Promise<T>, work: () => unknown): Promise<T> {
  await held.until(call);
  await work();
  held.release();
  return call;
}

/** Decides which calls a gateway holds. */
export class Holds<Call> {
  private readonly takers = new Set<(call: Call) => Promise<void> | undefined>();

  /** Holds the calls that `isChosen` accepts: the next `count` calls, or all of them without `count`. */
  hold(isChosen: (call: Call) => boolean, count?: number): HeldCalls {
    const [reached, release] = [signal(), signal()];
    let taken = 0;
    const take = (call: Call) => {
      if (taken === count || !isChosen(call)) return undefined;
      if (++taken === (count ?? 1)) reached.give();
      return release.given;
    };
    this.takers.add(take);
    const answered = () => Promise.reject(new Error('The call was answered before the gateway held anything.'));
    return {
      until: (pending) => Promise.race([reached.given, pending.then(answered)]),
      release: () => {
        this.takers.delete(take);
        release.give();
      },
    };
  }

  /** Resolves when the gateway may pass the call on. */
  async pass(call: Call): Promise<void> {
    for (const take of this.takers) await take(call);
  }
}

function signal(): { given: Promise<void>; give: () => void } {
  let give!: () => void;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give };
}
