import { getApp } from 'firebase-admin/app';
import type { CollectionReference } from 'firebase-admin/firestore';
import { getStorage } from 'firebase-admin/storage';
import type { World } from './world';

type Store = Pick<World, 'database'>;

/** The functions' bucket. */
export const bucket = () =>
  getStorage(getApp('test')).bucket(
    (JSON.parse(process.env['FIREBASE_CONFIG']!) as { storageBucket: string }).storageBucket,
  );

/**
 * The paths of all documents and all bucket objects, without the receipts that transactions keep for an hour.
 */
export async function everythingStored(world: World): Promise<string[]> {
  const documents: string[] = [];
  const list = async (collection: CollectionReference): Promise<void> => {
    // listDocuments() also lists missing documents that have subcollections.
    for (const document of await collection.listDocuments()) {
      if ((await document.get()).exists) documents.push(document.path);
      await Promise.all((await document.listCollections()).map(list));
    }
  };
  const roots = (await world.database.listCollections()).filter(({ id }) => id !== 'transactionReceipts');
  await Promise.all(roots.map(list));
  return [...documents, ...(await storedObjects())].sort();
}

/** The documents of a collection whose field has the value. No index is needed: the functions do not search most fields. */
export async function documentsWith({ database }: Store, collection: string, field: string, value: unknown) {
  const { docs } = await database.collection(collection).get();
  return docs.filter((document) => document.get(field) === value);
}

export async function storedObjects(prefix = ''): Promise<string[]> {
  return (await storedFiles(prefix)).map(({ name }) => `bucket:${name}`);
}

/** What the bucket knows of the objects whose names begin with that. */
export async function storedFiles(prefix: string) {
  const [objects] = await bucket().getFiles({ prefix });
  return objects.map(({ name, metadata: { contentType, metadata } }) => ({ name, contentType, metadata }));
}
