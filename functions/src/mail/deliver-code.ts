import type { Purpose } from '../policy/codes';
import { withdrawCode } from '../records/one-time-codes';
import { oneTimeCodeMail } from './one-time-code';
import { sendMail } from './send';

/**
 * Mails a one-time code. When the provider does not accept the mail, deletes the code, ends its cooldown and throws the
 * error of `sendMail`: the next request may come at once.
 */
export async function deliverCode(email: string, purpose: Purpose, code: string, requestId: string): Promise<void> {
  try {
    await sendMail(oneTimeCodeMail(email, purpose, code), `code-${requestId}`);
  } catch (error) {
    await withdrawCode(email, purpose, code);
    throw error;
  }
}
