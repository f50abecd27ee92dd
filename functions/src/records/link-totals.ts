import { z } from 'zod';
import { collection, date, paths, type Ref } from './collections';
import { read, readIn, type Transaction } from './database';

/** What became of the links of a deck: of each the sum of its views, and its name. */
const linkTotal = z.object({
  name: z.string(),
  views: z.number().int(),
  seconds: z.number().int(),
  lastSeenAt: date,
  maxSlide: z.number().int(),
  slideCount: z.number().int().nullable(),
});
export type LinkTotal = z.output<typeof linkTotal>;

/** One of 16 documents, so that an answer about 100 links costs at most 16 reads. */
const linkTotals = z.object({ links: z.record(z.string(), linkTotal) });
export type LinkTotals = z.output<typeof linkTotals>;

const SHARDS = 16;
/** In bytes: about 4000 links. Above, the links that were not seen for the longest time are dropped. */
const MAX_BYTES = 600_000;

export function linkTotalsRef(presentationId: string, tokenId: string): Ref<LinkTotals> {
  const shard = Buffer.from(tokenId, 'base64url')[0]! % SHARDS;
  return collection(paths.linkTotals(presentationId), linkTotals).doc(String(shard));
}

/** The totals of links by the id of their token. One round trip; none for no link. */
export async function readLinkTotals(
  presentationId: string,
  tokenIds: readonly string[],
): Promise<Map<string, LinkTotal>> {
  const refs = new Map(tokenIds.map((id) => linkTotalsRef(presentationId, id)).map((ref) => [ref.path, ref]));
  const found = await read(...refs.values());
  const links = Object.assign({}, ...found.map((shard) => shard?.links)) as LinkTotals['links'];
  return new Map(tokenIds.flatMap((id) => (links[id] ? [[id, links[id]]] : [])));
}

/** Stores a document of totals. */
export function storeLinkTotals(tx: Transaction, ref: Ref<LinkTotals>, totals: LinkTotals): void {
  tx.set(ref, Buffer.byteLength(JSON.stringify(totals)) > MAX_BYTES ? { links: newestOf(totals.links) } : totals);
}

const newestOf = (links: LinkTotals['links']): LinkTotals['links'] => {
  const sorted = Object.entries(links).sort(([, a], [, b]) => b.lastSeenAt.getTime() - a.lastSeenAt.getTime());
  return Object.fromEntries(sorted.slice(0, Math.ceil(sorted.length / 2)));
};

/** Reads what a new name of a link needs. Call the result after all reads of the transaction. */
export async function prepareRename(
  tx: Transaction,
  presentationId: string,
  tokenId: string,
): Promise<(name: string) => void> {
  const ref = linkTotalsRef(presentationId, tokenId);
  const [totals] = await readIn(tx, ref);
  const known = totals?.links[tokenId];
  return (name) => {
    if (known) storeLinkTotals(tx, ref, { links: { ...totals.links, [tokenId]: { ...known, name } } });
  };
}
