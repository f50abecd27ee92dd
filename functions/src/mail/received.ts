import { resendWebhookSecrets } from '../config';
import { provider } from './send';

/** A call of the provider: the bytes of its body as text, and the headers of the signature. */
export interface SignedCall {
  payload: string;
  headers: { id: string; timestamp: string; signature: string };
}

/** Whether the provider signed the call, at most 5 minutes ago. */
export async function isOfProvider({ payload, headers }: SignedCall): Promise<boolean> {
  const { webhooks } = await provider();
  return resendWebhookSecrets().some((webhookSecret) => {
    try {
      webhooks.verify({ payload, headers, webhookSecret });
      return true;
    } catch {
      return false;
    }
  });
}
