import { bucket, isNoSuchObject, isPreconditionFailed, type Bucket } from './bucket';
import { mapConcurrently } from './concurrent';

const PAGE = 1000;
const AT_ONCE = 48;

interface Options {
  /** Deletes only objects that are older; all objects when absent. */
  madeBefore?: Date;
  /** Stops after the page during which this time passes. The next call continues. */
  until?: Date;
  /** Receives each error, and the other objects are still deleted. When absent, the first error is thrown. */
  onFault?: (objectName: string, error: unknown) => void;
}

/**
 * Deletes the objects under a prefix, one page at a time, and returns their number. Two calls may run at the same time:
 * each object is counted by the call that deleted it. An object that was replaced after it was listed is not deleted.
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
    const removed = await mapConcurrently(due, AT_ONCE, (object) => deleteObject(object, onFault));
    count += removed.filter(Boolean).length;
    pageToken = (next as { pageToken?: string } | null)?.pageToken;
  } while (pageToken && !(until && new Date() > until));
  return count;
}

/** Returns false when the object does not exist any more, or was replaced after it was listed. */
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
