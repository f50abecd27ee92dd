import { ServiceError } from '../errors';
import { logWarning } from '../log';
import { MailFault, sendMail, type Mail } from './send';

/** Sends the mail, unless the provider refuses it for good: the next run would fail again. */
export async function sendNotice(mail: Mail, key: string): Promise<void> {
  try {
    await sendMail(mail, key);
  } catch (error) {
    const isRefused =
      error instanceof MailFault ? error.failure === 'provider-rejected' : error instanceof ServiceError;
    if (!isRefused) throw error;
    logWarning('The mail provider refused a mail of the service.', error);
  }
}
