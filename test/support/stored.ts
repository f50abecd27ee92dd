import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Firestore } from 'firebase-admin/firestore';
import { objectPaths } from '../../functions/src/blobs/bucket';
import { buildManifest, distinctBytes } from '../../functions/src/policy/manifest';
import type { Plan } from '../../functions/src/policy/plans';
import { totalsOf } from '../../functions/src/policy/upload-caps';
import { createAccount } from '../../functions/src/records/accounts';
import { createApiKey } from '../../functions/src/records/api-keys';
import { blobRef } from '../../functions/src/records/blobs';
import { readIn, type Transaction } from '../../functions/src/records/database';
import { prepareManifest } from '../../functions/src/records/manifests';
import { createDeck } from '../../functions/src/records/new-deck';
import { takeRoom, usageRef } from '../../functions/src/records/organization-usage';
import { organizationRef } from '../../functions/src/records/organizations';
import { transact } from '../../functions/src/records/transact';
import { countStored } from '../../functions/src/records/upload-counters';
import { displayNameOf } from '../../functions/src/values/display-name';
import { newId } from '../../functions/src/values/ids';
import type { Scope } from '../../functions/src/values/keys';
import type { LocalCloud } from '../../local';

/*
 * Accounts and decks that are written directly into the stores, through the functions' record modules where one exists.
 * Signing up and pushing take ten times as long. test/functions/stored.test.ts compares the stored account with one
 * that signed up, and the stored deck with one that was pushed, field by field.
 */

export type Account = { email: string; key: string; keyId: string; userId: string; organizationId: string };
export type DeckFile = { path: string; bytes: Buffer; contentType: string };
export type Deck = { presentationId: string; tokenId: string; token: string; shareUrl: string; version: number };

export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

export const manifestRow = (file: DeckFile) => ({
  path: file.path,
  sha256: sha256(file.bytes),
  size: file.bytes.length,
  contentType: file.contentType,
});

/** An account as signing up writes it, except for its plan, the scopes of its key and the used code. */
export async function storeAccount(cloud: LocalCloud, plan: Plan, moreScopes: readonly Scope[] = []): Promise<Account> {
  const email = `owner-${randomUUID()}@example.org`;
  const name = { firstName: 'Ada', lastName: null };
  const userId = await storeIdentity(cloud, email, displayNameOf(name));
  const [organizationId, now] = [newId(), new Date()];
  const user = { userId, email, ...name, organizationId, brandColour: null, createdAt: now };
  const colours = { brandPrimary: null, brandSecondary: null, brandAccent: null };
  const brand = { description: null, tone: null, ...colours, logo: null };
  const { raw, keyId } = await transact(async (tx) => {
    await createAccount(tx, user, { name: "Ada's workspace", ...brand });
    if (plan !== 'free') tx.update(organizationRef(organizationId), { plan });
    const scopes: Scope[] = ['presentations:write', 'presentations:read', ...moreScopes];
    return createApiKey(tx, { name: 'CLI default key', scopes, organizationId, userId }, now);
  });
  return { email, key: raw, keyId, userId, organizationId };
}

/** Adds a user with that address to the identity provider. Returns the uid. */
async function storeIdentity({ authHost, project }: LocalCloud, email: string, displayName: string): Promise<string> {
  const response = await fetch(`http://${authHost}/identitytoolkit.googleapis.com/v1/projects/${project}/accounts`, {
    method: 'POST',
    headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
    body: JSON.stringify({ email, displayName, emailVerified: true }),
  });
  const { localId } = (await response.json()) as { localId?: string };
  if (!localId) throw new Error(`The identity provider answered ${response.status}.`);
  return localId;
}

/** How many records one transaction writes. */
const RECORDS_AT_ONCE = 1000;

/** Writes documents by path. Batches take a third of the time of a bulk writer. */
export async function storeDocuments(database: Firestore, documents: readonly (readonly [string, object])[]) {
  for (let start = 0; start < documents.length; start += RECORDS_AT_ONCE) {
    const batch = database.batch();
    for (const [path, data] of documents.slice(start, start + RECORDS_AT_ONCE)) batch.set(database.doc(path), data);
    await batch.commit();
  }
}

/** Writes the blob records of uploaded files. */
export async function seedBlobs(
  { database }: { database: Firestore },
  presentationId: string,
  seeded: DeckFile[],
): Promise<void> {
  const rows = new Map(seeded.map((file) => [sha256(file.bytes), manifestRow(file)]));
  const createdAt = new Date();
  const records = [...rows].map(([hash, { size, contentType }]) => {
    return [`presentations/${presentationId}/blobs/${hash}`, { sizeBytes: size, contentType, createdAt }] as const;
  });
  await storeDocuments(database, records);
}

/**
 * A deck with version 1 and its link, as a push writes it. `objects` is the number of files whose bytes are put into
 * the bucket, from the first file on; by default all files.
 */
export async function storeDeck(
  cloud: LocalCloud,
  owner: Account,
  files: readonly DeckFile[],
  title: string,
  objects = Infinity,
): Promise<Deck> {
  const [presentationId, createdAt] = [newId(), new Date()];
  const distinct = [...new Map(files.map((file) => [sha256(file.bytes), file])).entries()];
  await Promise.all(distinct.slice(0, objects).map(([hash, file]) => storeObject(cloud, presentationId, hash, file)));
  for (let start = RECORDS_AT_ONCE; start < distinct.length; start += RECORDS_AT_ONCE) {
    const part = distinct.slice(start, start + RECORDS_AT_ONCE);
    await transact((tx) => Promise.resolve(recordBlobs(tx, presentationId, part, createdAt)));
  }
  const rows = files.map(manifestRow);
  const storedBytes = distinctBytes(rows);
  const manifest = buildManifest(rows);
  const writeManifest = await prepareManifest(presentationId, manifest);
  const { organizationId, userId } = owner;
  const deck = { presentationId, organizationId, ownerId: userId, title, createdAt, remixedFrom: null };
  const entryPath = files[0]?.path ?? 'index.html';
  const created = { ...deck, storedBytes, message: null, entryPath, isolation: null, sessionId: newId() };
  return transact(async (tx) => {
    const [organization, usage] = await readIn(tx, organizationRef(organizationId), usageRef(organizationId));
    takeRoom(tx, organization!, usage, { decks: 1, newDecks: 1, storedBytes }, createdAt);
    recordBlobs(tx, presentationId, distinct.slice(0, RECORDS_AT_ONCE), createdAt);
    writeManifest(tx);
    return createDeck(tx, created, manifest, rows);
  });
}

function recordBlobs(
  tx: Transaction,
  presentationId: string,
  files: readonly (readonly [string, DeckFile])[],
  createdAt: Date,
): void {
  const records = files.map(([hash, { bytes, contentType }]) => ({ hash, sizeBytes: bytes.length, contentType }));
  for (const { hash, ...record } of records) tx.set(blobRef(presentationId, hash), { ...record, createdAt });
  countStored(tx, presentationId, totalsOf(records));
}

/** Node's own client takes a third of the time of `fetch`. */
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Puts the bytes of a file of a deck into the bucket. */
export async function storeObject(
  { project, storage }: LocalCloud,
  presentationId: string,
  hash: string,
  { bytes, contentType }: Omit<DeckFile, 'path'>,
): Promise<void> {
  const name = encodeURIComponent(objectPaths.blob(presentationId, hash));
  const url = `${storage.url}/upload/storage/v1/b/${project}.firebasestorage.app/o?uploadType=media&ifGenerationMatch=0&name=${name}`;
  const headers = { 'content-type': contentType, 'content-length': bytes.length };
  const sent = request(url, { method: 'POST', agent, headers }).end(bytes);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(`The bucket answered ${response.statusCode}: ${answer}`);
}
