import { currentContext, runIn, type Context } from '../../context';
import { withinCall } from '../../deadlines';
import { db, sdk } from '../sdk';
import type { DocumentWrite, ReadOptions } from './small-client';
import type { Fields } from './values';

/** The calls of the small client, made by the Admin SDK. */

/** The caller counts the documents, so the SDK's client counts them for nobody. */
const limitedBy = <T>(context: Context | undefined, work: () => Promise<T>): Promise<T> =>
  withinCall('Firestore', () => runIn({ trail: undefined, endsAt: context?.endsAt ?? Infinity }, work), context);

export async function getDocuments(
  paths: readonly string[],
  { mask, updateTimes, context = currentContext() }: ReadOptions,
): Promise<Map<string, Fields | undefined>> {
  const refs = [...new Set(paths)].map((path) => db().doc(path));
  const fieldMask = mask?.map((field) => new (sdk().FieldPath)(field));
  const read = () => db().getAll(...refs, ...(fieldMask ? [{ fieldMask }] : []));
  const found = await limitedBy(context, read);
  for (const { ref, updateTime } of found) {
    if (updateTime) updateTimes?.set(ref.path, { seconds: updateTime.seconds, nanos: updateTime.nanoseconds });
  }
  return new Map(found.map((document) => [document.ref.path, withDates(document.data()) as Fields | undefined]));
}

/** The value with a Date in place of each Timestamp, as the small client returns it. */
function withDates(value: unknown): unknown {
  if (value instanceof sdk().Timestamp) return value.toDate();
  if (Array.isArray(value)) return value.map(withDates);
  if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withDates(each)]));
}

export async function commitDocuments(writes: readonly DocumentWrite[], context: Context | undefined): Promise<void> {
  const { FieldPath, FieldValue, Timestamp } = sdk();
  const batch = db().batch();
  for (const { path, fields, isMerge, increments = {}, serverTimes = [], exists, updatedAt } of writes) {
    const ref = db().doc(path);
    const added = Object.entries(increments).map(([field, by]) => [field, FieldValue.increment(by)] as const);
    const timed = serverTimes.map((field) => [field, FieldValue.serverTimestamp()] as const);
    const all = { ...fields, ...Object.fromEntries([...added, ...timed]) };
    const given = Object.entries(all).filter(([, value]) => value !== undefined);
    const pairs = given.map(
      ([field, value]) => [new FieldPath(field), value] as [FirebaseFirestore.FieldPath, unknown],
    );
    if (!fields) batch.delete(ref, exists === undefined ? {} : { exists });
    else if (updatedAt)
      batch.update(ref, ...alternating(pairs), { lastUpdateTime: new Timestamp(updatedAt.seconds, updatedAt.nanos) });
    else if (exists === false) batch.create(ref, all);
    else if (exists) batch.update(ref, ...alternating(pairs));
    else batch.set(ref, all, isMerge ? { mergeFields: given.map(([field]) => new FieldPath(field)) } : {});
  }
  await limitedBy(context, async () => void (await batch.commit()));
}

const alternating = (pairs: [FirebaseFirestore.FieldPath, unknown][]) =>
  pairs.flat() as [FirebaseFirestore.FieldPath, unknown, ...unknown[]];
