import { DAY_MS } from '../values/units';
import { oldInsights } from './insights';
import { oldViews } from './views';

/** Deletes views that began, and figures of days that ended, more than so many days ago. Returns how many documents. */
export async function deleteOldViews(days: number, now: Date, until: Date): Promise<number> {
  const before = new Date(now.getTime() - days * DAY_MS);
  return (await deletePages(oldViews(before), until)) + (await deletePages(oldInsights(before), until));
}

/** Deletes the references of pages, a page at a time. Returns how many. */
async function deletePages(
  pages: AsyncIterable<readonly { ref: FirebaseFirestore.DocumentReference }[]>,
  until: Date,
): Promise<number> {
  let count = 0;
  for await (const page of pages) {
    if (new Date() > until) break;
    const batch = page[0]?.ref.firestore.batch();
    for (const { ref } of page) batch!.delete(ref);
    await batch?.commit();
    count += page.length;
  }
  return count;
}
