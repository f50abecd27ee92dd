/** Why a mail was not sent to a recipient. */
export const deliveryFailures = [
  'invalid-email',
  'recipient-suppressed',
  'provider-rejected',
  'provider-rate-limited',
  'provider-unavailable',
] as const;
export type DeliveryFailure = (typeof deliveryFailures)[number];

/** The message of each failure for the caller. */
export const failureMessages: Record<DeliveryFailure, string> = {
  'invalid-email': 'That is not an email address.',
  'recipient-suppressed': 'The recipient has unsubscribed, or emails to the address bounced.',
  'provider-rejected': 'The mail provider refused to send mail to this address.',
  'provider-rate-limited': 'The rate limit of the mail provider is reached. Try again in a few minutes.',
  'provider-unavailable': 'The mail provider did not answer. Try again in a few minutes.',
};

/**
 * The failure of every mail of a failed request to the provider. `status` is the HTTP status of the answer, or null
 * without an answer.
 */
export function failureOf(status: number | null): DeliveryFailure {
  if (status === 429) return 'provider-rate-limited';
  return status !== null && status >= 400 && status < 500 ? 'provider-rejected' : 'provider-unavailable';
}

/** What the provider says of a mail that it accepted. */
export const mailStates = ['delivered', 'delayed', 'bounced', 'complained', 'failed'] as const;
export type MailState = (typeof mailStates)[number];

/** The provider's result for one mail. */
export type SendResult = { messageId: string } | { code: DeliveryFailure };

/** Whether the same mail may be accepted a few minutes later. */
export const isPassing = (failure: DeliveryFailure): boolean =>
  failure === 'provider-unavailable' || failure === 'provider-rate-limited';

/** Whether the provider accepted nothing, for a reason that passes. */
export const isOutage = (results: readonly SendResult[]): boolean =>
  results.length > 0 && results.every((each) => 'code' in each && each.code !== 'provider-rejected');

/** The result for one address. `code` is null when its mail was sent. */
export interface Outcome {
  email: string;
  tokenId: string | null;
  code: DeliveryFailure | null;
  resendMessageId: string | null;
}

/**
 * The outcome for each address. An address that is neither in `mailed` nor in `suppressed` is not an email address.
 * `deliveries` has the order of `mailed`.
 */
export function outcomesOf(
  emails: readonly string[],
  mailed: readonly { email: string; link: { tokenId: string } }[],
  suppressed: readonly string[],
  deliveries: readonly SendResult[],
): Outcome[] {
  return emails.map((email) => {
    const i = mailed.findIndex((each) => each.email === email);
    const delivery: SendResult = deliveries[i] ?? {
      code: suppressed.includes(email) ? 'recipient-suppressed' : 'invalid-email',
    };
    return {
      email,
      tokenId: mailed[i]?.link.tokenId ?? null,
      code: 'code' in delivery ? delivery.code : null,
      resendMessageId: 'code' in delivery ? null : delivery.messageId,
    };
  });
}
