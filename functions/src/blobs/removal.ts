import { bucket, isNoSuchObject, isPreconditionFailed, storageCall, type Bucket } from './bucket';
import { mapConcurrently } from './concurrent';
import { listPages } from './object-pages';

const DELETED_AT_ONCE = 48;

interface Options {
  /** Deletes only objects that were created before this time; without it, all objects. */
  createdBefore?: Date;
  /** Deletes only objects of which this is true. `name` is what follows the prefix. */
  isDue?: (name: string, createdAt: Date) => boolean;
  /** Starts no new page after this time; a later call continues. */
  until?: Date;
  /** Called for each object that cannot be deleted; the others are deleted. Without it, the first failure is thrown. */
  onFault?: (objectName: string, error: unknown) => void;
}

/**
 * Deletes the objects under a prefix, 1 000 to a page, and returns how many it deleted. Safe to run concurrently: each
 * object is counted by the call that deleted it. An object that was replaced after it was listed is kept.
 */
export async function deleteObjects(
  prefix: string,
  { createdBefore, isDue = () => true, until, onFault }: Options = {},
): Promise<number> {
  if (!prefix.endsWith('/')) throw new Error('A prefix must end with a slash, or it matches longer ids too.');
  const store = await bucket();
  let count = 0;
  for await (const objects of listPages(store, { prefix })) {
    const due = objects.filter(({ name, metadata }) => {
      const createdAt = new Date(metadata.timeCreated!);
      return (!createdBefore || createdAt < createdBefore) && isDue(name.slice(prefix.length), createdAt);
    });
    const deleted = await mapConcurrently(due, DELETED_AT_ONCE, (object) => deleteObject(object, onFault));
    count += deleted.filter(Boolean).length;
    if (until && new Date() > until) break;
  }
  return count;
}

/** False when the object was already deleted or was replaced. */
async function deleteObject(object: ReturnType<Bucket['file']>, onFault: Options['onFault']): Promise<boolean> {
  try {
    await storageCall(() => object.delete({ ifGenerationMatch: object.metadata.generation! }));
    return true;
  } catch (error) {
    if (isNoSuchObject(error) || isPreconditionFailed(error)) return false;
    if (!onFault) throw error;
    onFault(object.name, error);
    return false;
  }
}
