import type { Progress } from '../records/marketplace-state';

/** A record that an earlier release may have written. */
export interface OlderRecord<T> {
  id: string;
  /** Reads the record, undefined when it does not exist any more. Throws when it is damaged. */
  read: () => Promise<T | undefined>;
}

interface Renewal<T> {
  /** How far the earlier runs were. */
  progress: Progress;
  /** The number of this renewal. Another number than that of the progress begins anew. */
  to: number;
  /** All records by id, after the id `after`, and whether each of them needs the renewal. */
  all: (after: string | null) => AsyncIterable<OlderRecord<T> & { isOlder: boolean }>;
  find: (id: string) => Promise<T | undefined>;
  note: (progress: Progress) => Promise<void>;
}

/** Records that one run looks at, with one read each. */
const MOST_RECORDS = 5000;
/** Records between two notes of how far the runs are. */
const NOTED_EVERY = 100;
/** Failed records that are tried again. While there are so many, the runs look at no further record. */
const MOST_FAILED = 100;
/** Runs that try a failed record again. After these the record stays as it is. */
const MOST_TRIES = 24;

/** A record of an iteration. `renewing` marks it. */
interface Item<T> extends OlderRecord<T> {
  isRenewed?: boolean;
}

/**
 * The records that need a renewal: first those whose renewal failed in earlier runs, then the next ones, until all have
 * been looked at. The iteration notes its place, also when its caller ends it, so a later run continues there. The
 * caller must process each record with `renewing` before it asks for the next one.
 */
export async function* olderRecords<T>({ progress, to, all, find, note }: Renewal<T>): AsyncGenerator<Item<T>> {
  const begun = progress.to === to ? progress : { after: null, isDone: false, failed: [] };
  let { after, isDone }: Pick<Progress, 'after' | 'isDone'> = begun;
  /** Failed in earlier runs, and not tried in this one. The next run begins with them. */
  const waiting = [...begun.failed];
  const failed: Progress['failed'] = [];
  if (isDone && waiting.length === 0) return;

  const noteAll = () => note({ to, after, isDone, failed: [...waiting, ...failed] });
  function* attempt(item: Item<T>, tries: number): Generator<Item<T>> {
    try {
      yield item;
    } finally {
      if (!item.isRenewed && tries <= MOST_TRIES) failed.push({ id: item.id, tries });
    }
  }

  try {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { id, tries } = next;
      yield* attempt({ id, read: () => find(id) }, tries + 1);
    }
    if (isDone || failed.length >= MOST_FAILED) return;
    let seen = 0;
    for await (const { isOlder, ...item } of all(after)) {
      after = item.id;
      if (isOlder) yield* attempt(item, 1);
      if (++seen === MOST_RECORDS || failed.length >= MOST_FAILED) return;
      if (seen % NOTED_EVERY === 0) await noteAll();
    }
    [after, isDone] = [null, true];
  } finally {
    await noteAll();
  }
}

/** Renews a record of `olderRecords` and marks it. A record that does not exist any more needs no renewal. */
export const renewing =
  <T>(renew: (record: T) => Promise<void>) =>
  async (item: Item<T>): Promise<void> => {
    const record = await item.read();
    if (record !== undefined) await renew(record);
    item.isRenewed = true;
  };
