import { eachOf } from '../values/each-of';
import { bucket, isNoSuchObject, isPreconditionFailed, type Bucket } from './bucket';

const PAGE = 1000;
const AT_ONCE = 48;

interface Options {
  /** Only objects that were made before; all of them when it is left out. */
  madeBefore?: Date;
  /** Stops after a page when that moment has passed; the next call goes on. */
  until?: Date;
  /** Told of an object that cannot be removed, and the others are; without it the first one is thrown. */
  onFault?: (objectName: string, error: unknown) => void;
}

/**
 * Removes the objects under a prefix, a page at a time, and answers how many it removed. It may run twice at once: each object is counted by
 * the one that removed it, and one that was made anew since it was listed stays.
 */
export async function deleteObjects(prefix: string, { madeBefore, until, onFault }: Options = {}): Promise<number> {
  if (!prefix.endsWith('/')) throw new Error('A prefix names a folder: without its slash it would match its siblings.');
  const store = await bucket();
  let count = 0;
  let pageToken: string | undefined;
  do {
    const query = { prefix, maxResults: PAGE, autoPaginate: false, ...(pageToken && { pageToken }) };
    const [objects, next] = await store.getFiles(query);
    const due = objects.filter(({ metadata }) => !madeBefore || new Date(metadata.timeCreated!) < madeBefore);
    const removed = await eachOf(due, AT_ONCE, (object) => deleteObject(object, onFault));
    count += removed.filter(Boolean).length;
    pageToken = (next as { pageToken?: string } | null)?.pageToken;
  } while (pageToken && !(until && new Date() > until));
  return count;
}

/** False when it is gone already, or is another one by now. */
async function deleteObject(object: ReturnType<Bucket['file']>, onFault: Options['onFault']): Promise<boolean> {
  try {
    await object.delete({ ifGenerationMatch: object.metadata.generation! });
    return true;
  } catch (error) {
    if (isNoSuchObject(error) || isPreconditionFailed(error)) return false;
    if (!onFault) throw error;
    onFault(object.name, error);
    return false;
  }
}
