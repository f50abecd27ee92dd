import { gateway, share, look, madeRecords, startMailing } from '../../support/mailing';

/** Mailings that hang at the provider. */

/** Starts the world before the tests of this file. */
export function startHangingMails(): void {
  startMailing('pro', 'Plans');
}

export const statuses = (tokens: string[]) => Promise.all(tokens.map(look));
/** Sends a mail and returns when the call hangs at the provider, which may have got the mail. */
export async function aHangingShare(reached: boolean, ...args: Parameters<typeof share>) {
  gateway.plan({ do: 'hang', reached });
  const sending = share(...args);
  await gateway.hanging();
  const [record] = await madeRecords();
  // A promise in an object is not awaited with the object.
  return { sending, tokenId: record?.['tokenId'] as string };
}
