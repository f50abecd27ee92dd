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
  /** Whether the next use of the document must be a commit alone, to show who is contended. Asks once. */
  takeSuspect(id: string): boolean;
  /**
   * Runs a commit of uses of documents. A slow commit of one document makes its next use popular, whether the commit
   * succeeds or not: other instances, whose uses this instance does not count, write to the same document. A slow
   * commit of several documents makes each of them a suspect.
   */
  commit<T>(ids: readonly string[], write: () => Promise<T>): Promise<T>;
}

/**
 * Counts the uses of documents in this instance, to notice contention. A popular document stays popular
 * until it was not used for the length of the window.
 */
export function popularity(): Popularity {
  const recent = new LRUCache<string, number>({ max: 10_000, ttl: WINDOW_MS });
  const suspects = new LRUCache<string, true>({ max: 10_000, ttl: CONTENDED_MS });
  const noteSlow = ([id, ...others]: readonly string[]) => {
    if (id === undefined) return;
    if (others.length === 0) recent.set(id, POPULAR_USES, { ttl: CONTENDED_MS });
    else for (const suspect of [id, ...others]) suspects.set(suspect, true);
  };
  return {
    takeSuspect: (id) => suspects.has(id) && suspects.delete(id),
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
        if (performance.now() - begunAt > SLOW_COMMIT_MS) noteSlow(ids);
      }
    },
  };
}
