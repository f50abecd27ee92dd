import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Timestamp, type DocumentData } from 'firebase-admin/firestore';
import { paths } from '../../functions/src/records/collections';
import { recipientKey } from '../../functions/src/records/recipient-key';
import type { IndexFile } from '../../local/firestore';
import { projectRoot } from '../../local/project';
import { bucket, everythingStored } from '../support/whole-store';
import { type Account, blob, type Deck, page, sha256, startWorld, succeed, world } from '../support/world';

/** The index file, and the accounts and decks that `test/support/stored.ts` writes for the tests. */

const file = JSON.parse(readFileSync(join(projectRoot, 'firestore.indexes.json'), 'utf8')) as Required<IndexFile>;

const collectionPaths = Object.values(paths).map((path) => (typeof path === 'string' ? path : path('id')));
const collectionNames = collectionPaths.map((path) => path.split('/').at(-1)!);

// The first call that needs this key makes it, so it would be a record of the first account.
startWorld(() => recipientKey());

test('the exceptions are fewer than the 200 that a database may have without billing', () => {
  expect(file.fieldOverrides.length).toBeLessThan(200);
});

test('every index and every exception names an existing collection', () => {
  const named = [...file.indexes, ...file.fieldOverrides].map(({ collectionGroup }) => collectionGroup);
  expect(named.filter((name) => !collectionNames.includes(name))).toEqual([]);
});

/** The fields that differ between two records of the same kind. */
const OWN = ['sealed', 'hash', 'label', 'keyPrefix'];

/**
 * The documents and objects of `names` with their fields. `ids` are the values that differ between two accounts or
 * decks.
 */
async function contentsOf(names: string[], ids: Record<string, string>): Promise<Record<string, unknown>> {
  const named = (text: string) =>
    Object.entries(ids).reduce((all, [name, id]) => all.replaceAll(id, `<${name}>`), text);
  const alike = (value: unknown, field = ''): unknown => {
    if (OWN.includes(field)) return typeof value;
    if (value instanceof Timestamp) return 'a time';
    if (typeof value === 'string') return named(value);
    if (Array.isArray(value)) return value.map((each) => alike(each));
    if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, alike(each, key)]));
  };
  const contents: Record<string, unknown> = {};
  for (const name of names) {
    const isObject = name.startsWith('bucket:');
    const data = isObject ? await objectOf(name.slice(7)) : (await world.database.doc(name).get()).data()!;
    contents[named(name)] = alike(data);
  }
  return contents;
}

async function objectOf(name: string): Promise<Record<string, unknown>> {
  const file = bucket().file(name);
  const [[metadata], [bytes]] = await Promise.all([file.getMetadata(), file.download()]);
  const { id, name: _name, generation, etag, selfLink, mediaLink, timeCreated, updated, ...rest } = metadata;
  for (const each of [id, generation, etag, selfLink, mediaLink, timeCreated, updated]) expect(each).toBeTruthy();
  return { ...rest, timeFinalized: undefined, timeStorageClassUpdated: undefined, bytes };
}

/** The result of `work`, and the names of the documents and objects that it stored. */
async function storedBy<T>(work: () => Promise<T>): Promise<[T, string[]]> {
  const before = new Set(await everythingStored(world));
  return [await work(), (await everythingStored(world)).filter((name) => !before.has(name))];
}

async function signUp(): Promise<Account> {
  const email = `owner-${randomUUID()}@example.org`;
  await succeed(world.call('cliRequestSignupOtp', { email }));
  const code = await world.mailedCode(email);
  type Signup = { organizationId: string; apiKey: { raw: string; keyId: string } };
  const input = { email, code, user: { firstName: 'Ada' } };
  const { organizationId, apiKey } = await succeed(world.call<Signup>('cliCompleteSignup', input));
  const { userId } = (await world.database.doc(`apiKeys/${sha256(apiKey.raw)}`).get()).data()!;
  return { email, key: apiKey.raw, keyId: apiKey.keyId, userId, organizationId };
}

/** The identity provider's user of an account. */
async function identityOf({ userId }: Account): Promise<Record<string, unknown>> {
  const { authHost, project } = world.cloud;
  const url = `http://${authHost}/identitytoolkit.googleapis.com/v1/projects/${project}/accounts:lookup`;
  const headers = { authorization: 'Bearer owner', 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ localId: [userId] }) });
  const { users } = (await response.json()) as { users: Record<string, unknown>[] };
  return users[0]!;
}

test('an account written into the store has the same records as an account that signed up', async () => {
  const idsOf = ({ key, ...ids }: Account) => ({ ...ids, keyHash: sha256(key) });
  const [signedUp, itsRecords] = await storedBy(signUp);
  const [written, records] = await storedBy(() => world.anOwner());
  const kept = itsRecords.filter((name) => !/^(oneTimeCodes|requestWindows)\//.test(name));
  expect(kept).toHaveLength(4);
  expect(await contentsOf(records, idsOf(written))).toEqual(await contentsOf(kept, idsOf(signedUp)));
  const expected = { ...(await identityOf(signedUp)), localId: written.userId, email: written.email };
  expect(await identityOf(written)).toEqual({ ...expected, createdAt: expect.any(String) });
  const [publisher, more] = await storedBy(() => world.aPublisher('pro'));
  const contents = (await contentsOf(more, idsOf(publisher))) as Record<string, DocumentData>;
  expect(contents['organizations/<organizationId>']!['plan']).toBe('pro');
  expect(contents['apiKeys/<keyHash>']!['scopes']).toContain('marketplace:publish');
});

test('a deck written into the store has the same records and objects as a deck that was pushed', async () => {
  const owner = await world.anOwner();
  const entry = page('One & the same', 'index.html');
  const large = blob(5000, 'a/large.bin');
  const files = [entry, large, { ...large, path: 'b/twin.bin' }, blob(0, 'empty.css')];
  const [pushed, itsContents] = await storedBy(() => world.aPushedDeck(owner, files, 'A title'));
  const [written, contents] = await storedBy(() => world.aDeck(owner, files, 'A title'));
  // The key stores its last use. A push writes no other document outside of its deck.
  const idsOf = ({ presentationId, tokenId }: Deck) => ({ presentationId, tokenId });
  expect(itsContents.length).toBeGreaterThanOrEqual(11);
  expect(await contentsOf(contents, idsOf(written))).toEqual(await contentsOf(itsContents, idsOf(pushed)));

  const answerOf = ({ presentationId, token, tokenId, ...rest }: Deck) =>
    JSON.stringify({ ...rest, ids: [presentationId, token, tokenId].map((id) => typeof id) })
      .replaceAll(presentationId, 'id')
      .replaceAll(token, 't');
  expect(answerOf(written)).toEqual(answerOf(pushed));
  for (const deck of [pushed, written]) {
    for (const { path, bytes, contentType } of files) {
      const response = await fetch(world.viewUrl(deck, path));
      const seen = [response.status, response.headers.get('content-type'), Buffer.from(await response.arrayBuffer())];
      expect(seen).toEqual([200, contentType, bytes]);
    }
  }
});
