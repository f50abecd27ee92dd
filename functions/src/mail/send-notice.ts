import { ServiceError } from '../errors';
import { logWarning } from '../log';
import { MailFault, sendMail, type Mail } from './send';

/**
 * Sends the mail, unless the provider refuses the address, or has accepted the mail with other words under the key: the
 * next run would fail again. Throws while the provider accepts no mails, also because of the key of the service.
 */
export async function sendNotice(mail: Mail, key: string): Promise<void> {
  try {
    await sendMail(mail, key);
  } catch (error) {
    const isFinal = error instanceof MailFault ? error.isKnown : error instanceof ServiceError;
    if (!isFinal) throw error;
    logWarning('The mail provider refused a mail of the service.', error);
  }
}
