import { newId } from '../values/ids';
import { bucket, isNoSuchObject, objectPaths, storageCall } from './bucket';
import { deleteObjects } from './removal';

/** A stored logo. */
interface Logo {
  objectPath: string;
  contentType: string;
}

/**
 * Stores a logo as a new object. Nothing else ever writes to the object, so the bytes of a path never change, and of
 * two racing calls neither gets the bytes of the other.
 */
export async function storeLogo(userId: string, logo: { bytes: Buffer; contentType: string }): Promise<Logo> {
  const { bytes, contentType } = logo;
  const objectPath = objectPaths.logo(userId, newId());
  const object = (await bucket()).file(objectPath);
  await storageCall(() => object.save(bytes, { resumable: false, metadata: { contentType } }));
  return { objectPath, contentType };
}

/** The bytes of a logo; undefined when the object does not exist, because another logo has replaced it. */
export async function readLogo({ objectPath }: Logo): Promise<Buffer | undefined> {
  const object = (await bucket()).file(objectPath);
  try {
    return (await storageCall(() => object.download()))[0];
  } catch (error) {
    if (isNoSuchObject(error)) return undefined;
    throw error;
  }
}

/** A call that stored a logo has ended after this time, with or without a record that names the logo. */
const LONGEST_CALL_MS = 3600_000;

/**
 * Deletes the logos of a user that no record names: `replaced`, and those of calls that were cut off before they wrote
 * their record. It spares `kept`, and every logo of the last hour, whose call may still write its record.
 */
export async function removeFormerLogos(
  userId: string,
  { replaced, kept }: { replaced: string | undefined; kept: string | undefined },
  now: Date,
): Promise<void> {
  const store = await bucket();
  const [stored] = await storageCall(() => store.getFiles({ prefix: objectPaths.logos(userId), autoPaginate: false }));
  const isOld = ({ metadata }: (typeof stored)[number]) =>
    now.getTime() - Date.parse(metadata.timeCreated ?? '') > LONGEST_CALL_MS;
  const former = stored.filter((file) => file.name !== kept && isOld(file)).map(({ name }) => name);
  const names = new Set([...former, ...(replaced && replaced !== kept ? [replaced] : [])]);
  await Promise.all([...names].map((name) => storageCall(() => store.file(name).delete({ ignoreNotFound: true }))));
}

/** Deletes every logo of a user whose account is deleted. */
export const deleteLogos = (userId: string): Promise<number> => deleteObjects(objectPaths.logos(userId));
