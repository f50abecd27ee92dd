import { fail } from '../errors';
import { readIn } from '../records/database';
import { isRecipient } from '../records/mail-recipients';
import { presentationRef } from '../records/presentations';
import { recipientKey } from '../records/recipient-key';
import { changeLink } from '../records/share-links';
import { shareTokenRef } from '../records/share-tokens';
import { transact } from '../records/transact';
import { userRef } from '../records/users';
import type { MailOrigin } from '../values/mail-tokens';

/**
 * Switches the mails about a link off, for whoever has a mail to the owner of the deck. Repeats write nothing. Throws
 * not-found for a mail to somebody else, and for a link of another deck.
 */
export async function stopNotices(origin: MailOrigin, tokenId: string): Promise<void> {
  const { presentationId } = origin;
  const key = await recipientKey();
  await transact(async (tx) => {
    const [deck, token] = await readIn(tx, presentationRef(presentationId), shareTokenRef(presentationId, tokenId));
    const [owner] = await readIn(tx, deck && userRef(deck.ownerId));
    if (!deck || !token || !owner || !isRecipient(key, origin, owner.email)) return fail('not-found');
    if (token.notify !== 'never') await changeLink(tx, deck, token, { rules: { notify: 'never' } });
  });
}
