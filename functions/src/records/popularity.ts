import { LRUCache } from 'lru-cache';

/**
 * The uses of a document within the window after which an instance counts it as popular. Firestore sustains about one
 * write a second on a document.
 */
const POPULAR_USES = 5;
const WINDOW_MS = 10_000;
/** A commit that takes longer waited for other writers of the document. */
const SLOW_COMMIT_MS = 2_000;
/** How long a document stays nearly popular after a slow commit: its next use makes it popular. */
const CONTENDED_MS = 60_000;

interface Popularity {
  /** Whether the document is popular. Each call counts as a use. */
  isPopular(id: string): boolean;
  /**
   * Runs the commit of a use of each document. A slow commit makes their next use popular, whether it succeeds or not:
   * other instances, whose uses this instance does not count, write to the same document.
   */
  commit<T>(ids: readonly string[], write: () => Promise<T>): Promise<T>;
}

/**
 * Counts the uses of documents in this instance, to notice contention (decision 6). A popular document stays popular
 * until it was not used for the length of the window.
 */
export function popularity(): Popularity {
  const recent = new LRUCache<string, number>({ max: 10_000, ttl: WINDOW_MS });
  return {
    isPopular(id) {
      const uses = (recent.get(id) ?? 0) + 1;
      const isPopular = uses > POPULAR_USES;
      recent.set(id, uses, { noUpdateTTL: !isPopular });
      return isPopular;
    },
    async commit(ids, write) {
      const begunAt = performance.now();
      try {
        return await write();
      } finally {
        const isContended = performance.now() - begunAt > SLOW_COMMIT_MS;
        if (isContended) for (const id of ids) recent.set(id, POPULAR_USES, { ttl: CONTENDED_MS });
      }
    },
  };
}
