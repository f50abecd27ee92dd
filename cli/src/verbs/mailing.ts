import { randomUUID } from 'node:crypto';
import { isFailure } from '../../../client/src/failure';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import { commandLine } from '../command-line';
import { aboutDeck, explainDeck } from './deck-failure';
import { explainRule, findLink, inputOf, listLinks, type LinkRules, type LinkState } from './links';

type Answer = Contract['sharePresentationViaEmail']['answer'];
type Send = Contract['listEmailSends']['answer']['sends'][number];

/** What became of the mails of one command. */
export interface Mailing extends Pick<Answer, 'failed' | 'summary'> {
  sent: { email: string; linkId: string; shareUrl: string; messageId: string }[];
}

/** A mail of the log, and what became of its link. `link` is undefined for a link that several recipients got. */
export interface LoggedMail extends Pick<Send, 'email' | 'subject' | 'outcome' | 'code' | 'sentBy' | 'sentAt'> {
  linkId: string | null;
  messageId: string | null;
  link: { state: LinkState; views: number; lastOpenedAt: string | null } | undefined;
  /** What the mail provider told of the mail last; null when it has told nothing. */
  delivery: Send['delivery'];
  /** What became of the link in the mail; null when no person has opened it. An admin key is not told. */
  opening: Send['opening'];
}

/** The rules are those of the new links. */
export interface MailRequest extends LinkRules {
  presentationId: string;
  /** The words that name the deck in hints. */
  deckWords?: readonly string[];
  emails: string[];
  message?: string | undefined;
  subject?: string | undefined;
  /** The name or id of a link that all recipients get. Without it each recipient gets a new link of that name. */
  link?: string | undefined;
  /** Whether each new link opens for its recipient alone. */
  requireEmail?: boolean | undefined;
}

/** Mails the link of a deck. A mail that fails does not throw: it is in `failed` with its reason. */
export async function mailDeck(
  service: DeckService,
  { presentationId, link, deckWords = [], emails, message, subject, requireEmail, ...rules }: MailRequest,
): Promise<Mailing> {
  const tokenId = link === undefined ? undefined : (await findLink(service, { presentationId, deckWords, link })).id;
  try {
    const idempotencyKey = randomUUID();
    const input = { presentationId, emails, message, subject, tokenId, requireEmail, ...inputOf(rules) };
    const answer = await service.post('sharePresentationViaEmail', input, { idempotencyKey });
    const { failed, summary } = answer;
    const sent = answer.sent.map(({ email, tokenId: linkId, resendMessageId: messageId, shareUrl }) => {
      return { email, linkId, shareUrl, messageId };
    });
    return { sent, failed, summary };
  } catch (error) {
    if (isFailure(error, 'conflict') && /expired/.test(error.message))
      throw error.with({
        nextAction: `Set a later time, then send again: ${commandLine('expire', '7d', ...deckWords)}`,
      });
    if (isFailure(error, 'too-many-recipients'))
      throw error.with({ nextAction: 'Send to at most 20 addresses in one command.' });
    throw explainRule(error) ?? explainDeck(error, presentationId);
  }
}

/** A page of the mails that were sent for a deck, newest first. */
export async function listMails(
  service: DeckService,
  { presentationId, limit, cursor }: { presentationId: string; limit: number; cursor?: string | undefined },
): Promise<{ mails: LoggedMail[]; nextCursor: string | null }> {
  const query = { presentationId, limit: String(limit), ...(cursor !== undefined && { cursor }) };
  const [{ links }, { sends, nextCursor }] = await Promise.all([
    listLinks(service, presentationId),
    aboutDeck(presentationId, service.get('listEmailSends', query)),
  ]);
  const own = new Map(links.map((link) => [`${link.id} ${link.name}`, link]));
  const mails = sends.map((send) => {
    const link = own.get(`${send.tokenId} ${send.email}`);
    const { state, views, lastOpenedAt } = link ?? {};
    const { email, subject, outcome, code, sentBy, sentAt, tokenId: linkId, resendMessageId: messageId } = send;
    const { delivery, opening } = send;
    const mail = { email, subject, outcome, code, sentBy, sentAt, linkId, messageId, delivery, opening };
    return { ...mail, link: state && { state, views: views ?? 0, lastOpenedAt: lastOpenedAt ?? null } };
  });
  return { mails, nextCursor };
}
