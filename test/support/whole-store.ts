import { getApp } from 'firebase-admin/app';
import { getStorage } from 'firebase-admin/storage';
import { RawFirestore } from './raw-firestore';
import { world, type World } from './world';

type Store = Pick<World, 'database'>;

/** The functions' bucket. */
export const bucket = () =>
  getStorage(getApp('test')).bucket(
    (JSON.parse(process.env['FIREBASE_CONFIG']!) as { storageBucket: string }).storageBucket,
  );

/** All documents, with the text of their fields, or of those that `select` names. */
export async function everyDocument({ cloud }: World, select?: object): Promise<{ path: string; text: string }[]> {
  const root = `projects/${cloud.project}/databases/(default)/documents`;
  const client = new RawFirestore(Number(cloud.firestoreHost.split(':').at(-1)));
  // A query without a collection finds the documents of all collections, also those below documents that do not exist.
  const structuredQuery = { from: [{ allDescendants: true }], ...(select && { select }) };
  const answer = await client.call('RunQuery', { parent: root, structuredQuery });
  client.close();
  if ('failure' in answer) throw new Error(answer.failure.message);
  const found = answer.responses as { document?: { name: string; fields: object } | null }[];
  return found.flatMap(({ document }) =>
    document ? [{ path: document.name.slice(root.length + 1), text: JSON.stringify(document.fields) }] : [],
  );
}

/**
 * The paths of all documents and all bucket objects, without the receipts that transactions keep for an hour, and
 * without events, which outlive what they tell.
 */
export async function everythingStored(world: World): Promise<string[]> {
  const documents = (await everyDocument(world, { fields: [{ fieldPath: '__name__' }] })).map(({ path }) => path);
  const kept = documents.filter((path) => !/^(transactionReceipts|organizations\/[^/]+\/events)\//.test(path));
  return [...kept, ...(await storedObjects())].sort();
}

/**
 * The documents of a collection whose field has the value. No index is needed: the functions do not search most fields.
 */
export async function documentsWith({ database }: Store, collection: string, field: string, value: unknown) {
  const { docs } = await database.collection(collection).get();
  return docs.filter((document) => document.get(field) === value);
}

/** How many documents a collection has. */
export const count = async (path: string) => (await world.database.collection(path).get()).size;

export async function storedObjects(prefix = ''): Promise<string[]> {
  return (await storedFiles(prefix)).map(({ name }) => `bucket:${name}`);
}

/** What the bucket knows of the objects whose names begin with that. */
export async function storedFiles(prefix: string) {
  const [objects] = await bucket().getFiles({ prefix });
  return objects.map(({ name, metadata: { contentType, metadata } }) => ({ name, contentType, metadata }));
}
