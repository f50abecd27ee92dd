import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** The headers with which Resend signs a call. */
export function signedByResend(
  body: string,
  { id = `msg_${randomUUID()}`, at = new Date(), secret = process.env['RESEND_WEBHOOK_SECRET']! } = {},
): Record<string, string> {
  return {
    'svix-id': id,
    'svix-timestamp': String(Math.floor(at.getTime() / 1000)),
    'svix-signature': new Webhook(secret).sign(id, at, body),
  };
}
