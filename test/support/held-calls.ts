/** Calls that a gateway holds. */
export interface HeldCalls {
  /** Resolves when the calls are held. Rejects when `pending` is answered before: then it never came to the calls. */
  until(pending: Promise<unknown>): Promise<void>;
  /** Lets the held calls go on, and holds no further call. */
  release(): void;
}

/** The calls that a gateway is to hold. */
export class Holds<Call> {
  private readonly takers = new Set<(call: Call) => Promise<void> | undefined>();

  /** Holds the calls that `isChosen` accepts: the next `count`, or the first one and all that follow it. */
  hold(isChosen: (call: Call) => boolean, count?: number): HeldCalls {
    const [reached, release] = [signal(), signal()];
    let taken = 0;
    const take = (call: Call) => {
      if (taken === count || !isChosen(call)) return undefined;
      if (++taken === (count ?? 1)) reached.give();
      return release.given;
    };
    this.takers.add(take);
    const answered = () => Promise.reject(new Error('The call was answered before it came to what is held.'));
    return {
      until: (pending) => Promise.race([reached.given, pending.then(answered)]),
      release: () => {
        this.takers.delete(take);
        release.give();
      },
    };
  }

  /** Resolves when the call may go on. */
  async pass(call: Call): Promise<void> {
    for (const take of this.takers) await take(call);
  }
}

function signal(): { given: Promise<void>; give: () => void } {
  let give!: () => void;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give };
}
