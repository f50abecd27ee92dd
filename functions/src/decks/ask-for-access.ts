import { logError } from '../log';
import { askerCodeMail } from '../mail/asker-code';
import { sendMail } from '../mail/send';
import { setTimeout as pause } from 'node:timers/promises';
import { fail } from '../errors';
import { ADDRESS_ANSWER_MS } from '../policy/link-gates';
import { createAccessRequest } from '../records/access-requests';
import { mailTokenFor } from '../records/mail-recipients';
import { checkReaderCode, issueReaderCode } from '../records/reader-codes';
import { recipientKey } from '../records/recipient-key';
import { countRequest } from '../records/request-windows';
import { transact } from '../records/transact';
import { SERVICE_ID } from '../values/mail-tokens';
import { networkOf } from '../values/networks';
import type { AskState } from '../values/page-states';

/**
 * A person without a link asks the owner of a deck for access. Neither function reads whether a link has the label: all
 * that the person gets, and how long it takes, is the same for every label.
 */

interface Ask {
  label: string;
  email: string;
  clientAddress: string;
  now: Date;
}

/** The most codes that one client network has mailed in an hour. */
const PER_CLIENT = 10;

/**
 * Mails a code to the address. The answer does not tell whether a mail was sent. Throws rate-limited for a client that
 * asked too often.
 */
export async function mailAskerCode({
  label,
  email,
  clientAddress,
  now,
}: Ask): Promise<Pick<AskState, 'requestToken' | 'nextCodeAt'>> {
  const answered = pause(ADDRESS_ANSWER_MS);
  await countRequest('asker', networkOf(clientAddress), PER_CLIENT, now);
  const { digits, requestToken, nextAt } = await issueReaderCode({ label, email, isAdmitted: true }, null, now);
  if (digits !== null) {
    const service = { organizationId: SERVICE_ID, presentationId: SERVICE_ID };
    const token = mailTokenFor(await recipientKey(), email, service);
    try {
      await sendMail(askerCodeMail({ to: email, digits, token }), `asker-code-${requestToken}`);
    } catch (error) {
      logError('A code for a person who asks for access was not mailed.', error);
    }
  }
  await answered;
  return { requestToken, nextCodeAt: nextAt?.getTime() };
}

/**
 * Stores the request when the code is right, once for each code. Returns what the page shows next. Throws rate-limited
 * for a client with too many wrong codes.
 */
export async function proveAsker(
  { label, email, clientAddress, now }: Ask,
  { code, requestToken, message }: { code: string; requestToken: string; message: string | null },
): Promise<Pick<AskState, 'step' | 'wrong' | 'attemptsRemaining'>> {
  return transact(async (tx) => {
    const check = await checkReaderCode(tx, { label, email, code, requestToken, clientAddress }, now);
    if ('exceeded' in check) return fail('rate-limited', check.exceeded);
    if (!check.isRight) {
      check.count();
      return { step: 'code', wrong: 'code', attemptsRemaining: check.attemptsRemaining };
    }
    check.use();
    createAccessRequest(tx, { label, email, message }, now);
    return { step: 'sent' };
  });
}
