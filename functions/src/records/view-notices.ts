import { z } from 'zod';
import { digestDueAt, isTooLate, MAX_DIGEST_LINKS, MAX_NOTICES_A_DAY, NOTICE_RETRY_MS } from '../policy/view-notices';
import { dayOf } from '../values/days';
import { collection, date, documentOf, paths } from './collections';
import { idsOf, readIn, type Transaction } from './database';
import type { DocumentWrite } from './firestore/client';
import { presentationRef } from './presentations';
import { shareTokenRef, type ShareToken } from './share-tokens';
import { sdk } from './sdk';
import { transact } from './transact';

const firstView = z.object({ presentationId: z.string(), tokenId: z.string(), viewId: z.string() });
/** The view of which an owner is told. It has no data of the reader. */
export type FirstView = z.output<typeof firstView>;

/** Says that a view began of which the owner may want to know. The commit that begins the view creates it. */
const viewNotice = firstView.extend({
  /**
   * When the owner's mail was counted; null before. From then on the notice is sent, and a later view of the link is
   * not.
   */
  claimedAt: date.nullable(),
  dueAt: date,
});

/** What an owner was told on a day (UTC). The job that sends the digest deletes it. */
const noticeDay = z.object({
  ownerId: z.string(),
  day: z.string(),
  /** The mails of the day. */
  sent: z.number().int(),
  digest: z.array(firstView),
  /** First views for which `digest` had no room. */
  more: z.number().int(),
  dueAt: date,
});
export type NoticeDay = z.output<typeof noticeDay>;

const noticeRef = (viewId: string) => collection(paths.viewNotices, viewNotice).doc(viewId);
const dayRef = (id: string) => collection(paths.noticeDays, noticeDay).doc(id);

/** Whether the owner is told when a view of this link begins. */
export const isToBeTold = (token: Pick<ShareToken, 'notify' | 'noticedAt'>): boolean =>
  token.notify === 'first' && token.noticedAt === null;

/** The notice of a view, for the commit that begins the view. */
export const newNotice = ({ presentationId, tokenId, viewId }: FirstView, now: Date): DocumentWrite => ({
  path: noticeRef(viewId).path,
  fields: { presentationId, tokenId, viewId, claimedAt: null, dueAt: now },
  exists: false,
});

/** The notices and the digests that are due, the longest due first. */
export const dueNotices = (now: Date): AsyncGenerator<{ id: string }> =>
  idsOf(collection(paths.viewNotices, viewNotice).query().where('dueAt', '<=', now).orderBy('dueAt'));
export const dueDigests = (now: Date): AsyncGenerator<{ id: string }> =>
  idsOf(collection(paths.noticeDays, noticeDay).query().where('dueAt', '<=', now).orderBy('dueAt'));

/**
 * The first view of which the owner gets a mail now. The transaction marks the link, so of several views one is the
 * first, and counts the mail of the day. Undefined for another view of the link, where the owner wants no mail any
 * more, when the digest tells of it, and when another run has it.
 */
export function beginNotice(viewId: string, now: Date): Promise<FirstView | undefined> {
  return transact(async (tx) => {
    const [notice] = await readIn(tx, noticeRef(viewId));
    if (!notice || notice.dueAt > now) return undefined;
    const retryAt = new Date(now.getTime() + NOTICE_RETRY_MS);
    if (notice.claimedAt !== null) {
      if (isTooLate(notice.claimedAt, now)) return void tx.delete(noticeRef(viewId));
      tx.update(noticeRef(viewId), { dueAt: retryAt });
      return notice;
    }
    const [deck, token] = await readIn(
      tx,
      presentationRef(notice.presentationId),
      shareTokenRef(notice.presentationId, notice.tokenId),
    );
    if (!deck || !token || !isToBeTold(token)) return void tx.delete(noticeRef(viewId));
    const isAlone = await countNotice(tx, deck.ownerId, notice, now);
    tx.update(shareTokenRef(notice.presentationId, notice.tokenId), { noticedAt: now });
    if (!isAlone) return void tx.delete(noticeRef(viewId));
    tx.update(noticeRef(viewId), { claimedAt: now, dueAt: retryAt });
    return notice;
  });
}

/** Counts a first view to the owner's day. False when it is told by the digest. Reads before it writes. */
async function countNotice(tx: Transaction, ownerId: string, view: FirstView, now: Date): Promise<boolean> {
  const day = dayOf(now);
  const ref = dayRef(`${ownerId}-${day}`);
  const [known] = await readIn(tx, ref);
  const { sent, digest, more }: Pick<NoticeDay, 'sent' | 'digest' | 'more'> = known ?? { sent: 0, digest: [], more: 0 };
  const isAlone = sent < MAX_NOTICES_A_DAY;
  const hasRoom = digest.length < MAX_DIGEST_LINKS;
  const { presentationId, tokenId, viewId } = view;
  tx.set(ref, {
    ownerId,
    day,
    sent: isAlone ? sent + 1 : sent,
    digest: !isAlone && hasRoom ? [...digest, { presentationId, tokenId, viewId }] : digest,
    more: isAlone || hasRoom ? more : more + 1,
    dueAt: digestDueAt(day),
  });
  return isAlone;
}

/** The day whose digest is sent now. Undefined when it has nothing to tell, and when another run has it. */
export function beginDigest(id: string, now: Date): Promise<NoticeDay | undefined> {
  return transact(async (tx) => {
    const [day] = await readIn(tx, dayRef(id));
    if (!day || day.dueAt > now) return undefined;
    if (day.digest.length === 0 || isTooLate(digestDueAt(day.day), now)) return void tx.delete(dayRef(id));
    tx.update(dayRef(id), { dueAt: new Date(now.getTime() + NOTICE_RETRY_MS) });
    return day;
  });
}

/** What a user was told on each day, as `id`. */
export const noticeDaysOf = (userId: string): AsyncGenerator<{ id: string }> =>
  idsOf(
    collection(paths.noticeDays, noticeDay)
      .query()
      .where(sdk().FieldPath.documentId(), '>=', `${userId}-`)
      .where(sdk().FieldPath.documentId(), '<', `${userId}.`)
      .select(),
  );

export const endNotice = async (viewId: string): Promise<void> => void (await documentOf(noticeRef(viewId)).delete());
export const endDigest = async (id: string): Promise<void> => void (await documentOf(dayRef(id)).delete());
