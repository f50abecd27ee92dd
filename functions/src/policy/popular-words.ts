/** The categories and tags that the pages of the marketplace offer, at most. */
const MAX_CATEGORIES = 12;
const MAX_TAGS = 24;

interface Described {
  category: string | null;
  tags: readonly string[];
}

/** The categories and tags that most of these listings have, the most used ones first. */
export const popularWords = (listings: readonly Described[]) => ({
  categories: mostUsed(
    listings.map(({ category }) => (category === null ? [] : [category])),
    MAX_CATEGORIES,
  ),
  tags: mostUsed(
    listings.map(({ tags }) => tags),
    MAX_TAGS,
  ),
});

function mostUsed(uses: readonly (readonly string[])[], most: number): string[] {
  const counts = new Map<string, number>();
  for (const word of uses.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = [...counts].sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1));
  return sorted.slice(0, most).map(([word]) => word);
}
