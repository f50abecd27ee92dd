import { useState } from 'preact/hooks';

/** What the service knows a wish by: two calls with the same key and input do the work once. */
export interface Once {
  idempotencyKey: string;
}

/**
 * The idempotency keys of what a person wants. The answer to an attempt that failed may be lost while the service has
 * done the work, so the next attempt with the same input gets the same key. After something has succeeded, the same
 * input is a new wish.
 */
class Attempts {
  private readonly failed = new Map<string, string>();

  async run<T>(input: unknown, attempt: (once: Once) => Promise<T>): Promise<T> {
    const wish = JSON.stringify(input);
    const idempotencyKey = this.failed.get(wish) ?? crypto.randomUUID();
    try {
      const done = await attempt({ idempotencyKey });
      this.failed.clear();
      return done;
    } catch (error) {
      this.failed.set(wish, idempotencyKey);
      throw error;
    }
  }
}

const named = new Map<string, Attempts>();

/** With a name, they are the same when the form is left and opened again. */
export const useAttempts = (name?: string): Attempts =>
  useState(() => {
    const attempts = (name !== undefined && named.get(name)) || new Attempts();
    if (name !== undefined) named.set(name, attempts);
    return attempts;
  })[0];
