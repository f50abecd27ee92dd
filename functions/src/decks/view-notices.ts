import { sendNotice } from '../mail/send-notice';
import { viewDigestMail, viewNoticeMail, type NoticedDeck, type NoticedView } from '../mail/view-notice';
import { read } from '../records/database';
import { hasStopped, mailTokenFor } from '../records/mail-recipients';
import { presentationRef, type Presentation } from '../records/presentations';
import { recipientKey } from '../records/recipient-key';
import { shareTokenRef } from '../records/share-tokens';
import { userRef } from '../records/users';
import { beginDigest, beginNotice, endDigest, endNotice, type FirstView } from '../records/view-notices';
import { viewRef } from '../records/views';

/**
 * Mails the owner of a deck that a link was viewed first, if the owner wants it. Repeated runs send one mail: the names
 * in it may be others by then, but the provider knows its key.
 */
export async function sendViewNotice(viewId: string, now: Date): Promise<void> {
  const first = await beginNotice(viewId, now);
  if (!first) return;
  const told = await toldOf([first], now);
  const [deck] = told?.decks ?? [];
  if (told && deck) await sendNotice(viewNoticeMail(told.email, deck.title, deck.views[0]!), `view-notice-${viewId}`);
  await endNotice(viewId);
}

/** Mails the owner the first views of a day that exceeded the mails of a day. Repeated runs send one mail. */
export async function sendDigest(id: string, now: Date): Promise<void> {
  const day = await beginDigest(id, now);
  if (!day) return;
  const told = await toldOf(day.digest, now);
  if (told && told.decks.length > 0)
    await sendNotice(viewDigestMail(told.email, day.day, told.decks, day.more), `view-digest-${id}`);
  await endDigest(id);
}

/**
 * The address of the owner of the decks, and what is told of the views. A view that was deleted since is not told of,
 * and its reader may be forgotten. Undefined when the owner has stopped such mails.
 */
async function toldOf(
  views: readonly FirstView[],
  now: Date,
): Promise<{ email: string; decks: NoticedDeck[] } | undefined> {
  const known = await read(...[...new Set(views.map((view) => view.presentationId))].map(presentationRef));
  const decks = new Map(known.flatMap((deck) => (deck ? [[deck.presentationId, deck]] : [])));
  const owner = [...decks.values()][0];
  const [user] = await read(owner && userRef(owner.ownerId));
  if (!owner || !user) return undefined;
  const key = await recipientKey();
  if (await hasStopped(key, user.email, owner.organizationId, now)) return undefined;
  const noticed = new Map<Presentation, NoticedView[]>();
  const records = await read(...views.map((view) => viewRef(view.presentationId, view.viewId)));
  const tokens = await read(...views.map((view) => shareTokenRef(view.presentationId, view.tokenId)));
  views.forEach(({ presentationId, tokenId }, i) => {
    const { [i]: view } = records;
    const { [i]: token } = tokens;
    const deck = decks.get(presentationId);
    if (!view || !token || !deck) return;
    const { email, emailIsProven, startedAt } = view;
    const mailToken = mailTokenFor(key, user.email, { organizationId: deck.organizationId, presentationId });
    const told = { presentationId, tokenId, linkName: token.name, email, emailIsProven, startedAt, mailToken };
    noticed.set(deck, [...(noticed.get(deck) ?? []), told]);
  });
  return { email: user.email, decks: [...noticed].map(([{ title }, told]) => ({ title, views: told })) };
}
