/** Why a recipient was not mailed. */
export const deliveryFailures = [
  'invalid-email',
  'provider-rejected',
  'provider-rate-limited',
  'provider-unavailable',
] as const;
export type DeliveryFailure = (typeof deliveryFailures)[number];

/** What the caller is told of it. */
export const failureMessages: Record<DeliveryFailure, string> = {
  'invalid-email': 'That is not an email address.',
  'provider-rejected': 'The mail provider does not take mail to this address.',
  'provider-rate-limited': 'The mail provider takes no more mails for now. Try again in a few minutes.',
  'provider-unavailable': 'The mail provider did not answer. Try again in a few minutes.',
};

/** What the answer of the provider to a whole request means for each of its mails; `status` is null when there was no answer. */
export function failureOf(status: number | null): DeliveryFailure {
  if (status === 429) return 'provider-rate-limited';
  return status !== null && status >= 400 && status < 500 ? 'provider-rejected' : 'provider-unavailable';
}

/** What became of a mail. */
export type SendResult = { messageId: string } | { code: DeliveryFailure };

/** What became of an address: `code` is null when it was mailed. */
export interface Outcome {
  email: string;
  tokenId: string | null;
  code: DeliveryFailure | null;
  resendMessageId: string | null;
}

/** The outcome for each address; those that are not among the mailed ones are no addresses. `deliveries` are in the order of `mailed`. */
export function outcomesOf(
  emails: readonly string[],
  mailed: readonly { email: string; link: { tokenId: string } }[],
  deliveries: readonly SendResult[],
): Outcome[] {
  return emails.map((email) => {
    const i = mailed.findIndex((each) => each.email === email);
    const delivery = deliveries[i] ?? { code: 'invalid-email' };
    return {
      email,
      tokenId: mailed[i]?.link.tokenId ?? null,
      code: 'code' in delivery ? delivery.code : null,
      resendMessageId: 'code' in delivery ? null : delivery.messageId,
    };
  });
}
