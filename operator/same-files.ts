import type { ManifestPointer } from '../functions/src/policy/manifest';
import { deckCursor } from '../functions/src/values/deck-cursor';
import { listFiles } from '../functions/src/records/manifests';
import { listPresentations, type Presentation } from '../functions/src/records/presentations';
import { inGroups } from './groups';

/** A deck that stays open and has the files of one that is taken down. */
export interface SameFiles {
  presentationId: string;
  title: string;
  listingSlug: string | null;
}

/** A version of a deck. */
interface Place {
  presentationId: string;
  version: Pick<ManifestPointer, 'manifestId' | 'shardCount'>;
}

/**
 * The decks of an owner that have at least half of the bytes of a version, and that a link or a listing opens: a
 * take-down would leave the same content public. `without` is the deck that is taken down itself.
 */
export async function findSameFiles(ownerId: string, source: Place, without?: string): Promise<SameFiles[]> {
  const wanted = await sizesOf(source);
  const found: SameFiles[] = [];
  for await (const decks of openDecksOf(ownerId)) {
    await inGroups(decks, async ({ presentationId, title, listingSlug, current }) => {
      if (presentationId === without) return;
      const present = await sizesOf({ presentationId, version: current });
      const shared = new Map([...wanted].filter(([sha256]) => present.has(sha256)));
      if (2 * sum(shared) >= sum(wanted)) found.push({ presentationId, title, listingSlug });
    });
  }
  return found;
}

const sum = (sizes: ReadonlyMap<string, number>) => [...sizes.values()].reduce((total, size) => total + size, 0);

/** The sizes of the different files of a version, by their hashes. */
async function sizesOf({ presentationId, version }: Place): Promise<Map<string, number>> {
  const files = await listFiles(presentationId, version);
  return new Map(files.map(({ sha256, size }) => [sha256, size]));
}

/** The decks of an owner that are not taken down and that somebody else can open, page by page. */
async function* openDecksOf(ownerId: string): AsyncGenerator<Presentation[], void> {
  let next: string | null | undefined;
  do {
    const page = await listPresentations(ownerId, 100, next ? deckCursor.parse(next) : undefined);
    const own = page.decks.filter((deck) => deck.ownerId === ownerId);
    yield own.filter(({ takedown, activeLinks, listingSlug }) => !takedown && (activeLinks > 0 || listingSlug));
    next = own.length < page.decks.length ? null : page.next;
  } while (next);
}
