import { buildManifest } from '../../functions/src/policy/manifest';
import { startWorldBehindGateway } from './gateways';
import { bucket } from './whole-store';
import { blob, manifestRow, page, succeed, world, type Account, type Deck } from './world';

export interface Remix extends Deck {
  fileCount: number;
  totalBytes: number;
  remixedFrom: { slug: string; version: number };
}

/** The author publishes listings, and the reader remixes them. */
export let author: Account;
export let reader: Account;

/** Starts the world before the tests of this file. */
export function startRemixing(): void {
  startWorldBehindGateway(async () => {
    author = await world.aPublisher('enterprise');
    reader = await world.aPublisher('enterprise');
  });
}

export const remix = (by: Account, fields: Record<string, unknown>, headers: Record<string, string> = {}) =>
  world.call<Remix>('remixMarketplaceListing', fields, { key: by.key, headers });
export const update = (slug: string, fields: Record<string, unknown>) =>
  succeed(world.call('updateMarketplaceListing', { slug, ...fields }, { key: author.key }));
export const blobsOf = (presentationId: string) => world.database.collection(`presentations/${presentationId}/blobs`);
export const objectOf = (presentationId: string, hash: string) =>
  bucket().file(`presentations/${presentationId}/blobs/${hash}`);
export const countOf = async (presentationId: string) => (await blobsOf(presentationId).count().get()).data().count;
type Decks = { presentations: { id: string; title: string }[] };
export const decksOf = async (account: Account) =>
  (await succeed(world.call<Decks>('listMyPresentations', undefined, { key: account.key }))).presentations;
export const view = async (deck: Deck, path = '') => (await fetch(world.viewUrl(deck, path))).text();

/** The deck ids that unfinished remixes reserve. */
export async function begun(): Promise<string[]> {
  const sessions = await world.database.collection('uploadSessions').get();
  return sessions.docs.filter(({ id }) => id.startsWith('remix-')).map((each) => each.get('presentationId') as string);
}

/** The library retries a bucket call only when the call has a precondition. */
const onceOnly = { preconditionOpts: { ifGenerationMatch: 0 } };

/**
 * A remix of the reader that failed because the last object of the source is missing. `hashes` are in the order in
 * which a remix copies the files. `mend` restores the object.
 */
export async function aBegunRemix(count = 4) {
  const files = [page(), ...Array.from({ length: count - 1 }, (_, i) => blob(40, `${i}.css`))];
  const source = await world.aListing(author, {}, await world.aDeck(author, files, 'Large'));
  const hashes = buildManifest(files.map(manifestRow)).shards.flatMap((shard) => shard.map((file) => file.sha256));
  const missing = objectOf(source.presentationId, hashes.at(-1)!);
  const aside = objectOf(`aside-${source.presentationId}`, hashes.at(-1)!);
  await missing.move(aside, onceOnly);
  const answer = await remix(reader, { slug: source.slug });
  expect([answer.status, answer.error.code]).toEqual([500, 'internal']);
  expect(JSON.stringify(answer.body)).not.toContain(source.presentationId);
  const [deckId] = await begun();
  return { ...source, hashes, deckId: deckId!, mend: () => aside.move(missing, onceOnly) };
}

/** Resolves when the bucket was asked for that many copies since its counters were reset. */
export async function copiesAskedFor(count: number): Promise<void> {
  const asked = () => world.cloud.storage.stats().calls['objects.rewrite'] ?? 0;
  while (asked() < count) await new Promise(setImmediate);
}
