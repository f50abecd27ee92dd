import { z } from 'zod';
import { serviceSecret } from '../../config';
import { commitInput } from '../../contract/commit-input';
import { committed, nextVersion } from '../../contract/fields';
import { readIsolation } from '../../decks/deck-files';
import { addVersion } from '../../decks/next-version';
import { assertBase, assertSession } from '../../decks/preconditions';
import { asMember, type Caller } from '../../http/caller';
import type { Call } from '../../http/definition';
import { endpoint } from '../../http/endpoint';
import { buildManifest, distinctBytes, totalBytesOf } from '../../policy/manifest';
import { countChanges } from '../../policy/manifest-diff';
import { requestLimits } from '../../policy/request-limits';
import { assertUploaded, blobIndexRef } from '../../records/blobs';
import { read, readIn, refIf } from '../../records/database';
import { listFiles, prepareManifest } from '../../records/manifests';
import { createDeck } from '../../records/new-deck';
import { assertUsage, takeRoom, usageRef } from '../../records/organization-usage';
import { assertWithinPlan, organizationOf, organizationRef } from '../../records/organizations';
import { presentationRef } from '../../records/presentations';
import { readStored } from '../../records/upload-counters';
import { uploadSessionRef } from '../../records/upload-sessions';

const count = (verb: string, value: number) =>
  z.int().meta({ description: `Number of files that the commit would ${verb}.`, example: value });
const DryRun = z
  .object({
    added: count('add', 1),
    changed: count('change', 2),
    removed: count('remove', 0),
    unchanged: count('keep as they are', 9),
    bytesTotal: z.int().meta({ description: 'Sum of the sizes of all files, in bytes.', example: 482113 }),
    nextVersion,
  })
  .meta({ id: 'DryRun', title: 'Dry run', description: 'The changes that the commit would make. Only with `dryRun`.' });

export const Answer = z
  .union([committed, DryRun])
  .meta({ description: 'The new version, or the changes that the commit would make.' });

/** What a new deck adds to the usage of its organization, besides its bytes. */
const newDeck = { decks: 1, newDecks: 1 } as const;

type Commit = Call<z.output<typeof commitInput>, Caller>;

export const commitPresentationVersion = endpoint({
  name: 'commitPresentationVersion',
  about:
    'Commits uploaded files as a new version. With a sessionId it creates a deck with version 1 and a link ' +
    '`default` to its latest version. With a presentationId it adds the next version. Links to the latest version ' +
    'show the new version from the next request on.',
  command: "deck push talk --title 'Quarterly results' --message 'new numbers'",
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  limit: requestLimits.manifestBytes,
  input: commitInput,
  answer: Answer,
  isIdempotent: true,
  errors: ['not-found', 'blobs-missing', 'too-many-files', 'conflict', 'payload-too-large', 'rate-limited'],
  runtime: { class: 'transfer', secrets: [serviceSecret] },
  cost: { roundTrips: 5, reads: 26, writes: 10, bucketCalls: 1 },

  handle: (call) => (call.input.presentationId ? updateDeck(call, call.input.presentationId) : commitNewDeck(call)),
});

/**
 * Both functions check the session or deck and the plan twice: before they store the manifest, and in the transaction
 * that writes the version.
 */
async function commitNewDeck({ input, caller, now, idempotency }: Commit): Promise<z.output<typeof Answer>> {
  const { organizationId, userId } = asMember(caller);
  const sessionRef = uploadSessionRef(input.sessionId!);
  const ownRefs = [sessionRef, organizationRef(organizationId)] as const;
  const [found, own] = await read(...ownRefs);
  const session = assertSession(caller, found, now);
  const deckId = session.presentationId;
  const organization = assertWithinPlan(input.files, own);
  const manifest = buildManifest(input.files);
  if (input.dryRun) {
    // Uploaded files may be counted already.
    const storedBytes = Math.max(0, distinctBytes(input.files) - session.storedBytes);
    await assertUsage(organization, { ...newDeck, storedBytes }, now);
    return { ...countChanges([], input.files), bytesTotal: manifest.totalBytes, nextVersion: 1 };
  }
  const [stored] = await Promise.all([readStored(deckId), assertUploaded(deckId, input.files, undefined)]);
  const wanted = { ...newDeck, storedBytes: Math.max(0, stored.bytes - session.storedBytes) };
  const [isolation, writeManifest] = await Promise.all([
    readIsolation(deckId, input.files),
    prepareManifest(deckId, manifest, () => assertUsage(organization, wanted, now)),
  ]);
  const deck = {
    presentationId: deckId,
    sessionId: input.sessionId!,
    organizationId,
    ownerId: userId,
    createdAt: now,
    title: input.title!,
    message: input.message ?? null,
    entryPath: input.entryPath,
    isolation,
    remixedFrom: null,
  };
  return idempotency.run(
    async (tx) => {
      const [openSession, plan, usage] = await readIn(tx, ...ownRefs, usageRef(organizationId));
      const counted = assertSession(caller, openSession, now).storedBytes;
      const storedBytes = Math.max(counted, stored.bytes);
      const claim = { ...newDeck, storedBytes: storedBytes - counted };
      takeRoom(tx, assertWithinPlan(input.files, plan), usage, claim, now);
      writeManifest(tx);
      return createDeck(tx, { ...deck, storedBytes }, manifest, input.files);
    },
    ({ token: _token, shareUrl: _url, ...answer }) => answer,
  );
}

async function updateDeck(
  { input, caller, authorize, now, idempotency }: Commit,
  deckId: string,
): Promise<z.output<typeof Answer>> {
  const deckRef = presentationRef(deckId);
  const [found, index, own] = await read(deckRef, blobIndexRef(deckId), refIf(organizationRef, caller.organizationId));
  const before = authorize(found);
  assertBase(input, before);
  const organization = assertWithinPlan(input.files, await organizationOf(before, own));
  if (input.dryRun) {
    const changes = countChanges(await listFiles(deckId, before.current), input.files);
    return { ...changes, bytesTotal: totalBytesOf(input.files), nextVersion: before.current.version + 1 };
  }
  const { files, entryPath, title, message = null } = input;
  const stored = assertUploaded(deckId, files, index?.packed);
  const createdBy = caller.userId ?? caller.keyId;
  return addVersion(
    { before, organization, files, stored, entryPath, title, message, createdBy, now },
    { authorize, idempotency, check: (deck) => assertBase(input, deck) },
  );
}
