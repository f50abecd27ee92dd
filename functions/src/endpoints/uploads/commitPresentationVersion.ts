import { z } from 'zod';
import { config, serviceSecret } from '../../config';
import { asMember, type Caller } from '../../http/authenticate';
import { assertBase, assertMayAct, assertSession } from '../../http/deck-access';
import { endpoint, type Call } from '../../http/endpoint';
import { always } from '../../http/fields';
import { hasEntry, manifestFields } from '../../http/manifest-input';
import { hasOneTarget, oneTarget, targetFields } from '../../http/upload-target';
import { buildManifest } from '../../policy/manifest';
import { countChanges } from '../../policy/manifest-diff';
import { shareUrl } from '../../policy/share-tokens';
import { assertUploaded } from '../../records/blobs';
import { blobIndexRef } from '../../records/blob-indexes';
import { db, read } from '../../records/database';
import { listFiles, prepareManifest } from '../../records/manifests';
import { assertWithinPlan, callersOrganizationRef, organizationOf, organizationRef } from '../../records/organizations';
import { presentationRef } from '../../records/presentations';
import { createShareToken, shareUrlOf } from '../../records/share-tokens';
import { uploadSessionRef } from '../../records/upload-sessions';
import { createVersion } from '../../records/versions';

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

const Committed = z.object({
  presentationId: z.uuidv7(),
  version: z.int().positive(),
  /** Of a new deck only. */
  tokenId: z.string().optional(),
  /** Of a new deck only, and in this answer only. */
  token: z.string().optional(),
  /** Null when no token that follows the latest version is left. */
  shareUrl: z.url().nullable(),
  fileCount: z.int(),
  totalBytes: z.int(),
});

const DryRun = z.object({
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  unchanged: z.int(),
  bytesTotal: z.int(),
  nextVersion: z.int().positive(),
});

export const Answer = z.union([Committed, DryRun]);

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

  handle: (call) => (call.input.presentationId ? updateDeck(call, call.input.presentationId) : createDeck(call)),
});

async function createDeck({ input, caller, now, idempotency }: Commit): Promise<z.output<typeof Answer>> {
  const { organizationId, userId } = asMember(caller);
  const sessionRef = uploadSessionRef(input.sessionId!);
  const ownRefs = [sessionRef, organizationRef(organizationId)] as const;
  const [session, organization] = await read(db(), ...ownRefs);
  const deckId = assertSession(caller, session, now).presentationId;
  assertWithinPlan(input.files, organization);
  const manifest = buildManifest(input.files);
  const { fileCount, totalBytes } = manifest;
  if (input.dryRun) return { ...countChanges([], input.files), bytesTotal: totalBytes, nextVersion: 1 };
  await assertUploaded(deckId, input.files, undefined);

  const writeManifest = await prepareManifest(deckId, manifest);
  const base = { title: input.title!, createdAt: now };
  return idempotency.run(
    async (tx) => {
      const [openSession, plan] = await read(tx, ...ownRefs);
      assertSession(caller, openSession, now);
      assertWithinPlan(input.files, plan);
      writeManifest(tx);
      const version = {
        ...base,
        version: 1,
        message: input.message ?? null,
        entryPath: input.entryPath,
        createdBy: userId,
      };
      const current = createVersion(tx, deckId, { ...version, manifest }, input.files);
      const { token, link } = createShareToken(tx, deckId, {
        name: 'default',
        pinned: null,
        createdBy: userId,
        createdAt: now,
      });
      tx.create(presentationRef(deckId), {
        ...base,
        presentationId: deckId,
        ownerId: userId,
        organizationId,
        memberIds: [userId],
        current,
        firstToken: link,
        latestToken: link,
        viewShards: 1,
        updatedAt: now,
        updatedBy: userId,
        tokensRevokedAt: null,
        expiresAt: null,
      });
      tx.delete(sessionRef);
      const url = shareUrl(config.viewerUrl(), deckId, token);
      return { presentationId: deckId, version: 1, tokenId: link.tokenId, token, shareUrl: url, fileCount, totalBytes };
    },
    ({ token: _secret, ...answer }) => answer,
  );
}

async function updateDeck(
  { input, caller, now, idempotency }: Commit,
  deckId: string,
): Promise<z.output<typeof Answer>> {
  const deckRef = presentationRef(deckId);
  const [found, index, own] = await read(db(), deckRef, blobIndexRef(deckId), callersOrganizationRef(caller));
  const before = assertMayAct(caller, 'member', found);
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
      const [present, plan] = await read(tx, deckRef, organizationRef(before.organizationId));
      const deck = assertMayAct(caller, 'member', present);
      assertBase(input, deck);
      assertWithinPlan(input.files, plan);
      writeManifest(tx);
      const version = deck.current.version + 1;
      const title = input.title || deck.title;
      const by = caller.userId ?? caller.keyId;
      const stamp = {
        title,
        message: input.message ?? null,
        entryPath: input.entryPath,
        createdBy: by,
        createdAt: now,
      };
      const current = createVersion(tx, deckId, { ...stamp, version, manifest }, input.files);
      tx.update(deckRef, { title, current, updatedAt: now, updatedBy: by });
      const url = shareUrlOf(deckId, deck.latestToken);
      return { presentationId: deckId, version, shareUrl: url, fileCount, totalBytes };
    },
    (answer) => answer,
  );
}
