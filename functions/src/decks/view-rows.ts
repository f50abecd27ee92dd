import type { z } from 'zod';
import type { viewRow } from '../contract/view-fields';
import { read } from '../records/database';
import { shareTokenRef } from '../records/share-tokens';
import { slidesOf, type View } from '../records/views';
import { viewView as rowOf } from '../rows/decks';

type Row = z.output<typeof viewRow>;

/** A view in an answer to the owner of its deck. */
export function viewView(view: View, tokenName: string): Row {
  return rowOf(view, tokenName, slidesOf(view));
}

/** The names of the links of views. A name that was read before is taken from `known`. One round trip, or none. */
export async function tokenNames(
  views: readonly Pick<View, 'presentationId' | 'tokenId'>[],
  known: ReadonlyMap<string, string> = new Map(),
): Promise<Map<string, string>> {
  const names = new Map(known);
  const unknown = new Map(views.filter(({ tokenId }) => !names.has(tokenId)).map((view) => [view.tokenId, view]));
  const refs = [...unknown.values()].map(({ presentationId, tokenId }) => shareTokenRef(presentationId, tokenId));
  const found = await read(...refs);
  [...unknown.keys()].forEach((tokenId, i) => names.set(tokenId, found[i]?.name ?? ''));
  return names;
}
