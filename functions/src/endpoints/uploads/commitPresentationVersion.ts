import { asMember } from '../../http/authorize';
import type { Call } from '../../http/definition';
import { hasOneTarget, oneTarget, targetFields } from '../../contract/upload-fields';
import { z } from 'zod';
import { serviceSecret } from '../../config';
import { type Caller } from '../../http/authenticate';
import { assertBase, assertSession } from '../../decks/preconditions';
import { endpoint } from '../../http/endpoint';
import { always, committed } from '../../contract/fields';
import { hasEntry, manifestFields } from '../../contract/manifest-input';
import { buildManifest } from '../../policy/manifest';
import { countChanges } from '../../policy/manifest-diff';
import { assertUploaded, blobIndexRef } from '../../records/blobs';
import { read, readIn, refIf } from '../../records/database';
import { listFiles, prepareManifest } from '../../records/manifests';
import { createDeck } from '../../records/new-deck';
import { assertWithinPlan, organizationOf, organizationRef } from '../../records/organizations';
import { presentationRef } from '../../records/presentations';
import { shareUrlOf } from '../../records/share-tokens';
import { uploadSessionRef } from '../../records/upload-sessions';
import { appendVersion } from '../../records/versions';

/**
 * Makes uploaded files a new immutable version: version 1 of a new deck (with a session), or the next of an existing one. The version's
 * number, its base and the plan's caps are decided in the transaction that writes. With `dryRun` nothing is written or needs to be uploaded.
 */

const title = z.string().trim().max(255, 'A title has 1 to 255 characters.');

export const Input = z
  .object({
    ...targetFields,
    title: title.nullish(),
    ...manifestFields,
    expectedBaseVersion: z.int().positive().nullish(),
    force: z.boolean().default(false),
    message: z.string().max(500).nullish(),
    dryRun: z.boolean().default(false),
  })
  .refine(hasOneTarget, oneTarget)
  .refine((input) => !input.sessionId || input.title, {
    ...always,
    path: ['title'],
    error: 'A new deck needs a title.',
  })
  .refine(hasEntry, {
    ...always,
    path: ['entryPath'],
    error: 'entryPath is none of the files.',
  });

const DryRun = z.object({
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  unchanged: z.int(),
  bytesTotal: z.int(),
  nextVersion: z.int().positive(),
});

export const Answer = z.union([committed, DryRun]);

type Commit = Call<z.output<typeof Input>, Caller>;

export const commitPresentationVersion = endpoint({
  name: 'commitPresentationVersion',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'member' },
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['not-found', 'blobs-missing', 'too-many-files', 'conflict', 'payload-too-large'],
  runtime: { secrets: [serviceSecret], memory: '1GiB', concurrency: 16 },

  handle: (call) => (call.input.presentationId ? updateDeck(call, call.input.presentationId) : commitNewDeck(call)),
});

async function commitNewDeck({ input, caller, now, idempotency }: Commit): Promise<z.output<typeof Answer>> {
  const { organizationId, userId } = asMember(caller);
  const sessionRef = uploadSessionRef(input.sessionId!);
  const ownRefs = [sessionRef, organizationRef(organizationId)] as const;
  const [session, organization] = await read(...ownRefs);
  const deckId = assertSession(caller, session, now).presentationId;
  assertWithinPlan(input.files, organization);
  const manifest = buildManifest(input.files);
  if (input.dryRun) return { ...countChanges([], input.files), bytesTotal: manifest.totalBytes, nextVersion: 1 };
  await assertUploaded(deckId, input.files, undefined);

  const writeManifest = await prepareManifest(deckId, manifest);
  const deck = {
    ...{ presentationId: deckId, sessionId: input.sessionId!, organizationId, ownerId: userId, createdAt: now },
    ...{ title: input.title!, message: input.message ?? null, entryPath: input.entryPath },
  };
  return idempotency.run(
    async (tx) => {
      const [openSession, plan] = await readIn(tx, ...ownRefs);
      assertSession(caller, openSession, now);
      assertWithinPlan(input.files, plan);
      writeManifest(tx);
      return createDeck(tx, deck, manifest, input.files);
    },
    ({ token: _secret, ...answer }) => answer,
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
  assertWithinPlan(input.files, await organizationOf(before, own));
  const manifest = buildManifest(input.files);
  const { fileCount, totalBytes } = manifest;
  if (input.dryRun) {
    const changes = countChanges(await listFiles(deckId, before.current), input.files);
    return { ...changes, bytesTotal: totalBytes, nextVersion: before.current.version + 1 };
  }
  await assertUploaded(deckId, input.files, index?.packed);

  const writeManifest = await prepareManifest(deckId, manifest);
  return idempotency.run(
    async (tx) => {
      const [present, plan] = await readIn(tx, deckRef, organizationRef(before.organizationId));
      const deck = authorize(present);
      assertBase(input, deck);
      assertWithinPlan(input.files, plan);
      writeManifest(tx);
      const { entryPath, message = null, files } = input;
      const stamp = { createdBy: caller.userId ?? caller.keyId, createdAt: now };
      const next = { title: input.title || deck.title, message, entryPath, manifest, ...stamp };
      const version = appendVersion(tx, deck, next, files);
      const url = shareUrlOf(deckId, deck.latestToken);
      return { presentationId: deckId, version, shareUrl: url, fileCount, totalBytes };
    },
    (answer) => answer,
  );
}
