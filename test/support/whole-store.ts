import { getApp } from 'firebase-admin/app';
import { getStorage } from 'firebase-admin/storage';
import type { CollectionReference } from 'firebase-admin/firestore';
import type { World } from './world';

/** The bucket of the functions. */
export const bucket = () =>
  getStorage(getApp('test')).bucket(
    (JSON.parse(process.env['FIREBASE_CONFIG']!) as { storageBucket: string }).storageBucket,
  );

/** Every document, whatever it hangs below, and every object of the bucket; without what transactions leave for an hour. */
export async function everythingStored(world: World): Promise<string[]> {
  const documents: string[] = [];
  const list = async (collection: CollectionReference): Promise<void> => {
    // Ids alone hang below nothing: those that are no documents are found, too.
    for (const document of await collection.listDocuments()) {
      if ((await document.get()).exists) documents.push(document.path);
      await Promise.all((await document.listCollections()).map(list));
    }
  };
  const roots = (await world.database.listCollections()).filter(({ id }) => id !== 'transactionReceipts');
  await Promise.all(roots.map(list));
  return [...documents, ...(await storedObjects())].sort();
}

export async function storedObjects(prefix = ''): Promise<string[]> {
  const [objects] = await bucket().getFiles({ prefix });
  return objects.map((object) => `bucket:${object.name}`);
}
