import { config } from '../config';
import type { Caller } from '../http/caller';
import type { Call } from '../http/definition';
import { shareLetter, shareMail } from '../mail/share';
import { read, refIf } from '../records/database';
import { organizationOf, organizationRef } from '../records/organizations';
import { presentationRef } from '../records/presentations';
import { senderOf, userRef } from '../records/users';
import { shareUrl } from '../values/share-tokens';
import { prepareRules, type SentRules } from './link-changes';
import { assertMailable } from './mailing';
import { pictureForMail } from './shown-pictures';

/** The address that a preview shows in place of the recipient's. */
export const previewRecipient = 'recipient@example.com';
/** The place of the secrets in the links of a preview. Nobody can have such a secret. */
const NO_SECRET = 'preview';

interface PreviewRequest extends Pick<SentRules, 'expiresAt' | 'requireEmail'> {
  presentationId: string;
  message?: string | null | undefined;
  subject?: string | null | undefined;
}

/** The mail that a mailing would send now. Throws as the mailing would. One round trip. */
export async function previewMail({ input, caller, authorize, now }: Call<PreviewRequest, Caller>) {
  const id = input.presentationId;
  const [found, own, user] = await read(
    presentationRef(id),
    refIf(organizationRef, caller.organizationId),
    refIf(userRef, caller.userId),
  );
  const rulesFor = await prepareRules(input);
  const deck = assertMailable(authorize(found), now);
  rulesFor(caller, now);
  const organization = await organizationOf(deck, own);
  const letter = shareLetter({ ...input, deck, organization, sender: senderOf(user) });
  const link = shareUrl(config.viewerUrl(), id, NO_SECRET);
  // A new link has no address of a picture yet. That of another link shows the same.
  const [other] = deck.latestTokens;
  const picture = !input.requireEmail && other ? pictureForMail(deck, other) : undefined;
  const { html, text } = shareMail(letter, previewRecipient, { url: link, picture }, NO_SECRET);
  return { from: letter.from, replyTo: letter.sender?.email ?? null, subject: letter.subject, html, text };
}
