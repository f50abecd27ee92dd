import type { z } from 'zod';
import type { viewRow } from '../contract/view-fields';
import { sumsOf } from '../policy/view-totals';
import { read } from '../records/database';
import { shareTokenRef } from '../records/share-tokens';
import { totalsOf, type View } from '../records/views';

type Row = z.output<typeof viewRow>;

/** A view in an answer, without its slides. */
export function viewSummary(view: View, tokenName: string): Omit<Row, 'slides'> {
  const { viewId, tokenId, email, emailIsProven, version, seconds, slideCount, maxSlide } = view;
  const { hasScript, device, language, referrerHost } = view;
  const times = { startedAt: view.startedAt.toISOString(), lastSeenAt: view.lastSeenAt.toISOString() };
  const reader = { hasScript, device, language, referrerHost };
  const seen = { seconds, slideCount, maxSlide };
  return { viewId, tokenId, tokenName, email, emailIsProven, version, ...times, ...seen, ...reader };
}

/** A view in an answer to the owner of its deck. */
export function viewView(view: View, tokenName: string): Row {
  const slides = sumsOf(totalsOf(view)).slides.map(({ key, title, seconds, visits }) => ({
    key,
    title,
    seconds,
    visits,
  }));
  return { ...viewSummary(view, tokenName), slides };
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
