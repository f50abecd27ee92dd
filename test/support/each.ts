/**
 * The entries of a list, which must not be empty: what a test expects of each entry of an empty list proves nothing.
 */
export function each<T>(list: Iterable<T>): T[] {
  const entries = [...list];
  if (entries.length === 0) throw new Error('The list is empty, so nothing would be expected.');
  return entries;
}
