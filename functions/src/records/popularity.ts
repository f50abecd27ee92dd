import { LRUCache } from 'lru-cache';

/** Uses of one thing in one instance, within the window, that make it popular. Firestore takes about one write a second on a document. */
const POPULAR_USES = 5;
const WINDOW_MS = 10_000;

/**
 * A judge of what many use at once, as far as this instance sees. Asking it counts as a use. What is popular stays so until nobody has used it for the
 * length of the window.
 */
export function popularity(): (id: string) => boolean {
  const recent = new LRUCache<string, number>({ max: 10_000, ttl: WINDOW_MS });
  return (id) => {
    const uses = (recent.get(id) ?? 0) + 1;
    const isPopular = uses > POPULAR_USES;
    recent.set(id, uses, { noUpdateTTL: !isPopular });
    return isPopular;
  };
}
