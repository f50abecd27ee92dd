import { LRUCache } from 'lru-cache';

/** Uses of one thing in one instance, within the window, that make it popular. Firestore takes about one write a second on a document. */
const POPULAR_USES = 5;
const WINDOW_MS = 10_000;
/** Ten times what a commit takes that waits for nobody, and more. */
const SLOW_COMMIT_MS = 2_000;
/** How long an instance remembers that it had to wait, for its next use. */
const CONTENDED_MS = 60_000;

interface Popularity {
  /** Whether many use it at once. Asking counts as a use. */
  isPopular(id: string): boolean;
  /** Commits a use, and makes the thing popular when that is slow or fails: then others wait for the same document, whom this instance does not see. */
  commit(id: string, write: () => Promise<unknown>): Promise<void>;
}

/** A judge of what many use at once, as far as this instance sees. What is popular stays so until nobody has used it for the length of the window. */
export function popularity(): Popularity {
  const recent = new LRUCache<string, number>({ max: 10_000, ttl: WINDOW_MS });
  return {
    isPopular(id) {
      const uses = (recent.get(id) ?? 0) + 1;
      const isPopular = uses > POPULAR_USES;
      recent.set(id, uses, { noUpdateTTL: !isPopular });
      return isPopular;
    },
    async commit(id, write) {
      const begunAt = performance.now();
      let isDone = false;
      try {
        await write();
        isDone = true;
      } finally {
        const isContended = !isDone || performance.now() - begunAt > SLOW_COMMIT_MS;
        if (isContended) recent.set(id, POPULAR_USES, { ttl: CONTENDED_MS });
      }
    },
  };
}
