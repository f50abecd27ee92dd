import { config, resendApiKey } from '../config';

export interface Mail {
  to: string;
  subject: string;
  html: string;
  text: string;
  replyTo?: string;
}

/** Sends one mail; a second send with the same key within a day sends nothing. Throws when the provider does not take it. */
export async function sendMail(mail: Mail, idempotencyKey: string): Promise<void> {
  const { Resend } = await import('resend');
  const { error } = await new Resend(resendApiKey.value()).emails.send(
    { from: config.mailFrom(), ...mail },
    { idempotencyKey },
  );
  // The SDK answers an error instead of throwing it.
  if (error) throw new Error(`The mail provider answered ${error.name}: ${error.message}`);
}
