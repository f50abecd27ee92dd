import { z } from 'zod';
import { serviceSecret } from '../../config';
import {
  boundedArray,
  deckId,
  fileCount,
  path,
  presentationId,
  shareUrlIsPersonal,
  shareUrlOrNull,
  totalBytes,
  version,
} from '../../contract/fields';
import { addVersion, type Checks } from '../../decks/next-version';
import { assertBase } from '../../decks/preconditions';
import { failEnded } from '../../decks/upload-target';
import { fail } from '../../errors';
import type { Caller } from '../../http/caller';
import type { Call } from '../../http/definition';
import { endpoint } from '../../http/endpoint';
import {
  assertRemix,
  assertSource,
  readStates,
  sourceRef,
  takenPaths,
  type RemixOf,
} from '../../marketplace/remix-source';
import { copyFiles, missingFiles, whileShown } from '../../marketplace/remixes';
import { buildManifest, distinctBytes, totalBytesOf, type ManifestFile } from '../../policy/manifest';
import { largestCap } from '../../policy/plans';
import { remixChanges, updatedRemix } from '../../policy/remix-changes';
import { requestLimits } from '../../policy/request-limits';
import { read, readIn, refIf, type Transaction } from '../../records/database';
import type { Listing } from '../../records/listings';
import { storeManifest } from '../../records/manifests';
import { assertUsage } from '../../records/organization-usage';
import { assertWithinPlan, organizationOf, organizationRef, type Organization } from '../../records/organizations';
import { presentationRef, setRemixedFrom, type Presentation } from '../../records/presentations';
import { linkFields } from '../../records/share-tokens';

const paths = boundedArray(path, {
  max: largestCap('filesPerManifest'),
  tooMany: 'Send at most as many paths as a version may have files.',
}).optional();

export const Input = z.object({
  presentationId,
  expectedBaseVersion: z
    .int()
    .positive()
    .meta({ description: 'The `version` of compareRemix. When it is not current, the call answers 409.', example: 2 }),
  paths: paths.meta({
    description:
      'The files to take, of `added`, `changed` and `removed` of compareRemix. Without it all of them; then a file in ' +
      '`both` is a conflict.',
    example: ['notes.css'],
  }),
  merged: paths.meta({
    description:
      'Files whose changes of the source were merged into the deck. The call keeps them as the deck has them, and ' +
      'they are no conflict any more.',
    example: ['style.css'],
  }),
  sourceVersion: z.int().positive().optional().meta({
    description: '`source.latest` of compareRemix. When the source shows another version, the call answers 409.',
    example: 2,
  }),
});

export const Answer = z.object({
  presentationId: deckId,
  version: version.meta({ description: 'Number of the new version; of the current one when no file was taken.' }),
  sourceVersion: version.meta({ description: 'The version of the source that was taken.', example: 2 }),
  taken: z.int().nonnegative().meta({ description: 'Number of files that were taken or removed.', example: 3 }),
  shareUrl: shareUrlOrNull(
    'Address that opens the latest version in a browser. Null when the deck has no active link to the latest version.',
  ),
  shareUrlIsPersonal,
  fileCount,
  totalBytes,
});

type Update = Call<z.output<typeof Input>, Caller>;

export const updateRemix = endpoint({
  name: 'updateRemix',
  about:
    'Takes into a remix what only its source changed, as the next version. The service copies the files; the limits ' +
    'of a commit apply. When no file has to be taken, there is no new version. The call answers 409 for a file that ' +
    'changed on both sides, and with the `state` of a source that is not public any more.',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member', refusesAdmin: true },
  limit: requestLimits.manifestBytes,
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['not-found', 'conflict', 'too-many-files', 'payload-too-large'],
  runtime: { class: 'work', secrets: [serviceSecret] },
  cost: { roundTrips: 13, reads: 18, writes: 13, bucketCalls: 2 },

  async handle(call) {
    const { input, caller, authorize, idempotency, now } = call;
    // A replayed call must not copy the files again.
    const earlier = await idempotency.find();
    if (earlier) return earlier as z.output<typeof Answer>;
    const { deck, own, source, of, taken, files, base, fresh } = await planOf(call);
    const organization = assertWithinPlan(files, await organizationOf(deck, own));
    const entryPath = entryOf(deck, source, files);
    // The base keeps the bytes of what was merged, for the next merge.
    await copyMissing(deck, source, organization, fresh, now);
    const { manifestId, shardCount } = await storeManifest(deck.presentationId, buildManifest(base));

    const version = source.pinned.version;
    const remixedFrom = { ...of, version, base: { manifestId, shardCount } };
    const check = async (present: Presentation, tx: Transaction) => {
      assertBase(input, present);
      assertSameBase(of, present);
      const [listing] = await readIn(tx, sourceRef(of));
      assertVersionShown(assertSource(of, listing), version);
    };
    const alsoWrite = (tx: Transaction) => setRemixedFrom(tx, deck.presentationId, remixedFrom);
    const answer = { sourceVersion: version, taken: taken.size };
    const checks = { authorize, idempotency, check, alsoWrite, answer };
    if (taken.size === 0) return keepVersion(deck.presentationId, { files, now }, checks);
    const message = `Update from ${of.slug}, version ${version}`;
    const createdBy = caller.userId ?? caller.keyId;
    const stored = Promise.resolve();
    return addVersion({ before: deck, organization, files, stored, entryPath, message, createdBy, now }, checks);
  },
});

/** Reads the deck and its source, and decides what the deck and its base become. */
async function planOf({ input, caller, authorize }: Update) {
  const [found, own] = await read(presentationRef(input.presentationId), refIf(organizationRef, caller.organizationId));
  const deck = authorize(found);
  const of = assertRemix(deck);
  assertBase(input, deck);
  const [listing] = await read(sourceRef(of));
  const source = assertVersionShown(assertSource(of, listing), input.sourceVersion);
  const states = await whileShown(source, () => readStates(deck, of, source));
  const merged = new Set(input.merged);
  const taken = takenPaths(remixChanges(states), input.paths, merged);
  const { here: files, base } = updatedRemix(states, { taken, merged });
  // The deck stores what it and its base have. The other files are looked up.
  const known = new Set([...states.here, ...states.base].map(({ sha256 }) => sha256));
  const fresh = [...files, ...base].filter(({ sha256 }) => !known.has(sha256));
  return { deck, own, source, of, taken, files, base, fresh };
}

/** Throws conflict when another update changed the base of the remix. It may have left the version as it was. */
function assertSameBase(read: RemixOf, { remixedFrom }: Presentation): void {
  if (remixedFrom?.base.manifestId === read.base.manifestId) return;
  fail('conflict', undefined, {
    message: 'Another update of this remix was made meanwhile.',
    nextAction: 'Compare the deck with its source again.',
  });
}

/** Returns the listing. Throws conflict when it shows another version than the caller compared. */
function assertVersionShown(source: Listing, expected: number | undefined): Listing {
  const { version } = source.pinned;
  if (expected === undefined || expected === version) return source;
  return fail(
    'conflict',
    { slug: source.slug, latest: version, sourceVersion: expected },
    { message: `The source shows version ${version} now.`, nextAction: 'Compare the deck with its source again.' },
  );
}

/** The entry of the deck; of its source when the update removes that of the deck. Throws conflict without either. */
function entryOf({ current }: Presentation, { pinned }: Listing, files: readonly ManifestFile[]): string {
  const entry = [current.entryPath, pinned.entryPath].find((each) => files.some(({ path }) => path === each));
  return (
    entry ??
    fail(
      'conflict',
      { paths: [current.entryPath] },
      {
        message: 'The update would leave the deck without an entry page.',
        nextAction: 'Update the other files only (paths).',
      },
    )
  );
}

/** Copies the files of the source that the deck does not have, when the organization has room for them. */
async function copyMissing(
  { presentationId: deckId, organizationId }: Presentation,
  source: Listing,
  organization: Organization,
  files: readonly ManifestFile[],
  now: Date,
): Promise<void> {
  const to = { deckId, organizationId, sessionId: undefined };
  const missing = await missingFiles(to, files);
  if (missing.length === 0) return;
  await assertUsage(organization, { storedBytes: distinctBytes(missing) }, now);
  if (!(await whileShown(source, () => copyFiles(source, to, missing)))) failEnded();
}

/** Ends an update that takes no file: only the base changes. */
function keepVersion<More extends object>(
  id: string,
  { files, now }: { files: readonly ManifestFile[]; now: Date },
  { authorize, idempotency, check, alsoWrite, answer }: Checks<More>,
) {
  return idempotency.run(
    async (tx) => {
      const [found] = await readIn(tx, presentationRef(id));
      const deck = authorize(found);
      await check(deck, tx);
      alsoWrite?.(tx);
      const totals = { fileCount: files.length, totalBytes: totalBytesOf(files) };
      const link = linkFields(id, deck.latestTokens, now);
      return { presentationId: id, version: deck.current.version, ...link, ...totals, ...(answer as More) };
    },
    (kept) => kept,
  );
}
