import { z } from 'zod';
import { resendApiKey, serviceSecret } from '../../config';
import type { KeyCaller } from '../../http/authenticate';
import { assertMayAct } from '../../decks/deck-access';
import { endpoint, type Call } from '../../http/endpoint';
import { example } from '../../contract/example';
import { answeredEmail, deckId, email, presentationId, shareUrl, tokenId } from '../../contract/fields';
import { sendMails, type Mail } from '../../mail/send';
import { shareLetter, shareMail } from '../../mail/share';
import {
  deliveryFailures,
  failureMessages,
  outcomesOf,
  type Delivery,
  type Outcome,
} from '../../policy/mail-deliveries';
import { fail } from '../../errors';
import { MAX_RECIPIENTS } from '../../policy/mail-rates';
import { isClosed, isLive, revocationOf } from '../../policy/presentation-access';
import { read, type Transaction } from '../../records/database';
import { appendEmailSends } from '../../records/email-sends';
import { createHeldToken, endHold } from '../../records/held-tokens';
import { countMails, mailWindowRef, uncountMails } from '../../records/mail-windows';
import { callersOrganizationRef, organizationRef } from '../../records/organizations';
import { presentationRef, type Presentation, type TokenLink } from '../../records/presentations';
import { shareTokenRef, shareUrlOf, type ShareToken } from '../../records/share-tokens';
import { transact } from '../../records/transact';
import { userRef } from '../../records/users';

/** The answer and the record show an invalid address as it was sent, cut to this length. A valid address is shorter. */
const SHOWN_MAX_LENGTH = 300;

export const Input = z.object({
  presentationId,
  emails: z
    .array(
      z
        .string()
        .trim()
        .toLowerCase()
        .overwrite(cut)
        .meta({ description: 'Address of a recipient.', example: 'grace@example.com' }),
      {
        error: ({ input }) => (input === undefined || input === null ? 'missing-recipients' : undefined),
      },
    )
    .min(1, 'missing-recipients')
    .transform((addresses) => [...new Set(addresses)])
    .refine((addresses) => addresses.length <= MAX_RECIPIENTS, 'too-many-recipients')
    .meta({
      description: 'The recipients: 1 to 20 different addresses. Case does not matter. The service drops duplicates.',
      example: ['grace@example.com', 'alan@example.com'],
    }),
  message: z
    .string()
    .max(2000, 'message-too-long')
    .nullish()
    .meta({ description: 'Message in the email.', example: 'Here are the numbers.' }),
  subject: z.string().max(200).nullish().meta({
    description: 'Subject of the email. The default is `<address of the sender> shared: <title>`.',
    example: 'The numbers of this quarter',
  }),
  tokenId: z
    .string()
    .regex(/^[A-Za-z0-9_-]{22}$/, 'The deck has no such token.')
    .nullish()
    .meta({
      description:
        'Id of an active share token that all recipients get. Without it the service creates a share token for each ' +
        'recipient, named by the address.',
      example: example.tokenId,
    }),
});

const count = (what: string, value: number) => z.int().nonnegative().meta({ description: what, example: value });
export const Answer = z.object({
  presentationId: deckId,
  sent: z
    .array(
      z
        .object({
          email: answeredEmail.meta({ description: 'The recipient.' }),
          tokenId: tokenId.meta({ description: 'Id of the share token in the email.' }),
          resendMessageId: z
            .string()
            .meta({ description: 'Id of the email at the email provider.', example: example.mailId }),
          shareUrl,
        })
        .meta({ id: 'SentEmail', description: 'An email that the email provider accepted.' }),
    )
    .meta({ description: 'The recipients whose email the email provider accepted.' }),
  failed: z
    .array(
      z
        .object({
          email: answeredEmail.meta({
            description: 'The recipient, as the service read the address.',
            example: 'grace@example',
          }),
          code: z.enum(deliveryFailures).meta({
            description:
              'invalid-email: not an email address. provider-rejected: the email provider refuses the address. ' +
              'provider-rate-limited and provider-unavailable: try again in a few minutes.',
          }),
          message: z
            .string()
            .meta({ description: 'The reason as a sentence.', example: 'That is not an email address.' }),
        })
        .meta({ id: 'FailedEmail', description: 'A recipient to whom no email was sent.' }),
    )
    .meta({
      description: 'The recipients to whom no email was sent. The service revokes the share tokens made for them.',
    }),
  summary: z
    .object({
      total: count('Number of recipients.', 2),
      sent: count('Number of sent emails.', 1),
      failed: count('Number of failed emails.', 1),
    })
    .meta({ description: 'The counts of the call.' }),
});

export const sharePresentationViaEmail = endpoint({
  name: 'sharePresentationViaEmail',
  about:
    'Emails the link of a deck to 1 to 20 recipients. A recipient whose email fails does not fail the call: the' +
    ' answer lists it in `failed`. An organization may send 100 emails an hour and 500 a day (plan free: 50 a ' +
    'day), and 3 a day for one deck to one recipient. A call above these rates is refused and sends nothing.',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['missing-recipients', 'too-many-recipients', 'message-too-long', 'not-found', 'conflict', 'rate-limited'],
  // Waiting for the provider may take most of a minute, and what became of the mails must be written after it.
  runtime: { secrets: [serviceSecret, resendApiKey], timeoutSeconds: 120 },

  async handle(call) {
    const begun = await transact((tx) => begin(tx, call));
    if ('answer' in begun) return begun.answer;
    const { mailing } = begun;
    const { isShared } = call.idempotency;
    const deliveries = await sendMails(mailing.mails, { idempotencyKey: `share-${mailing.requestId}`, isShared });
    return transact((tx) => end(tx, call, mailing, deliveries));
  },
});

type ShareCall = Call<z.output<typeof Input>, KeyCaller>;
type Answered = z.output<typeof Answer>;

/** What a call is about to mail, for a retry to mail the very same: what it would make of a deck, a template or a site may have changed by then. */
interface Mailing {
  /** The request that began it. */
  requestId: string;
  organizationId: string;
  recipients: { email: string; link: TokenLink }[];
  subject: string;
  /** In the order of the recipients. */
  mails: Mail[];
}

/** Everything that can be refused is refused here. Counts the mails and makes the links. */
async function begin(tx: Transaction, call: ShareCall): Promise<{ answer: Answered } | { mailing: Mailing }> {
  const { input, caller, now, idempotency, requestId } = call;
  const id = input.presentationId;
  const earlier = await idempotency.look(tx);
  if (earlier.answer) return { answer: earlier.answer as Answered };
  if (earlier.begun) return { mailing: await resume(tx, call, earlier.begun as Mailing) };

  const [found, own, user, reused, ownWindow] = await read(
    tx,
    presentationRef(id),
    callersOrganizationRef(caller),
    userRef(caller.userId ?? 'none'),
    shareTokenRef(id, input.tokenId ?? 'none'),
    mailWindowRef(caller.organizationId ?? 'none'),
  );
  const deck = assertMailable(assertMayAct(caller, 'owner', found), now);
  const { organizationId } = deck;
  const [organization, window] =
    own?.organizationId === organizationId
      ? [own, ownWindow]
      : await read(tx, organizationRef(organizationId), mailWindowRef(organizationId));
  if (!organization) throw new Error(`The organization ${organizationId} of a deck does not exist.`);
  const link = input.tokenId ? assertActive(deck, reused) : undefined;

  const emails = input.emails.filter((address) => email.safeParse(address).success);
  countMails(tx, organization, window, { sendId: requestId, about: id, emails }, now);
  const createdBy = caller.userId ?? caller.keyId;
  const recipients = emails.map((address) => ({
    email: address,
    link: link ?? createHeldToken(tx, deck, { name: address, createdBy }, now),
  }));
  const letter = shareLetter({ ...input, deck, organization, sender: user?.email ?? null });
  const mails = recipients.map((each) => shareMail(letter, each.email, shareUrlOf(id, each.link)!));
  const mailing: Mailing = { requestId, organizationId, recipients, subject: letter.subject, mails };
  idempotency.begin(tx, mailing);
  return { mailing };
}

/** Takes up a call that did not come to its end, if it might still begin. The provider has its mails already, or gets the same now. */
async function resume(tx: Transaction, { input, caller, now }: ShareCall, mailing: Mailing): Promise<Mailing> {
  const id = input.presentationId;
  const [found, ...tokens] = await read(tx, presentationRef(id), ...tokenRefs(id, mailing));
  const deck = assertMailable(assertMayAct(caller, 'owner', found), now);
  if (tokens.some((token) => !token || revocationOf(token, deck))) {
    const nextAction = 'Send anew, with another Idempotency-Key.';
    fail('conflict', undefined, { message: 'The links of this call were revoked before it had ended.', nextAction });
  }
  return mailing;
}

/** Each of its links once: all recipients may get the same. */
function tokenRefs(presentationId: string, { recipients }: Mailing) {
  const tokenIds = new Set(recipients.map(({ link }) => link.tokenId));
  return [...tokenIds].map((each) => shareTokenRef(presentationId, each));
}

/** Opens the links that were mailed, revokes the others and appends the records. Of two calls with one key the first to end counts. */
async function end(tx: Transaction, call: ShareCall, mailing: Mailing, deliveries: Delivery[]): Promise<Answered> {
  const { input, caller, now, idempotency } = call;
  const id = input.presentationId;
  const earlier = await idempotency.look(tx);
  if (earlier.answer) return earlier.answer as Answered;
  const { recipients, organizationId, requestId, subject } = mailing;
  const outcomes = outcomesOf(input.emails, recipients, deliveries);
  const answer = answerOf(id, outcomes, recipients);

  const refs = [presentationRef(id), mailWindowRef(organizationId), ...tokenRefs(id, mailing)] as const;
  const [deck, window, ...tokens] = await read(tx, ...refs);
  // What was sent was sent, but nothing is written under a deck that was deleted meanwhile.
  if (!deck) return answer;
  const keep = new Set(answer.sent.map(({ tokenId }) => tokenId));
  endHold(tx, deck, tokens, { keep, now });
  const { keyId } = caller;
  const by = { sentBy: caller.userId ?? keyId, keyId, requestId, sentAt: now };
  appendEmailSends(tx, outcomes, { presentationId: id, subject, ...by });
  const faults = outcomes.filter(({ code }) => code === 'provider-unavailable' || code === 'provider-rate-limited');
  const emails = faults.map((outcome) => outcome.email);
  uncountMails(tx, organizationId, window, { sendId: requestId, about: id, emails });
  idempotency.finish(tx, answer);
  return answer;
}

function cut(text: string): string {
  return text.length > SHOWN_MAX_LENGTH ? `${text.slice(0, SHOWN_MAX_LENGTH - 1).toWellFormed()}…` : text;
}

/** The deck, if its links open: nobody is mailed one that does not. */
function assertMailable(deck: Presentation, now: Date): Presentation {
  if (!isClosed(deck, now)) return deck;
  const [message, nextAction] = deck.takedown
    ? ['The deck was taken down: its links open nothing.', 'Ask the operator of the service.']
    : ['The deck has expired: its links open nothing.', 'Set a later end with setPresentationExpiry, then send again.'];
  return fail('conflict', undefined, { message, nextAction });
}

/** The link, if it opens the deck and can be spelled. */
function assertActive(deck: Presentation, token: ShareToken | undefined): TokenLink {
  if (!token || !isLive(token, deck) || !shareUrlOf(deck.presentationId, token)) {
    const message = 'The deck has no such active token.';
    return fail('invalid-argument', { errors: [{ location: 'body.tokenId', message }] });
  }
  return { tokenId: token.tokenId, sealed: token.sealed };
}

function answerOf(id: string, outcomes: Outcome[], recipients: Mailing['recipients']): Answered {
  const urls = new Map(recipients.map(({ email: to, link }) => [to, shareUrlOf(id, link)!]));
  const sent = outcomes.flatMap(({ email: to, tokenId, resendMessageId }) =>
    tokenId && resendMessageId ? [{ email: to, tokenId, resendMessageId, shareUrl: urls.get(to)! }] : [],
  );
  const failed = outcomes.flatMap(({ email: to, code }) =>
    code ? [{ email: to, code, message: failureMessages[code] }] : [],
  );
  const summary = { total: outcomes.length, sent: sent.length, failed: failed.length };
  return { presentationId: id, sent, failed, summary };
}
