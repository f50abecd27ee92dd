import { withdrawCode, type IssuedCode } from '../records/code-requests';
import { codeLinkToken } from '../records/code-stops';
import { clientName } from '../values/client-name';
import { oneTimeCodeMail, type CodeUse } from './one-time-code';
import { sendMail } from './send';

interface Asked {
  email: string;
  use: CodeUse;
  userAgent: string | undefined;
  now: Date;
}

/**
 * Mails a one-time code, unless the recipient stopped codes for unknown devices. When the provider does not accept the
 * mail, withdraws the code and throws the error of `sendMail`: the next request may come at once.
 */
export async function deliverCode(
  { email, use, userAgent, now }: Asked,
  issued: IssuedCode,
  requestId: string,
): Promise<void> {
  const { digits } = issued;
  if (digits === null) return;
  try {
    const origin = { asker: clientName(userAgent), linkToken: codeLinkToken(email, now) };
    await sendMail(oneTimeCodeMail({ to: email, use, digits, ...origin }), `code-${requestId}`);
  } catch (error) {
    await withdrawCode(email, issued);
    throw error;
  }
}
