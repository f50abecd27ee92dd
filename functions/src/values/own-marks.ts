import { isMac, mac } from './secrets';

/** How long a browser has the mark of its user after it last used the dashboard. */
export const MARK_SECONDS = 30 * 24 * 3600;

const signatureOf = (secret: string, userId: string, expires: string) => mac(secret, 'own-mark', userId, expires);

/** The mark of a browser in which the user uses the dashboard. It opens nothing. */
export function writeOwnMark(secret: string, userId: string, now: Date): string {
  const expires = String(Math.floor(now.getTime() / 1000) + MARK_SECONDS);
  return `${userId}.${expires}.${signatureOf(secret, userId, expires)}`;
}

/** The user of a mark. Undefined for a text that none of the secrets signed, and for a mark that has expired. */
export function readOwnMark(secrets: readonly string[], text: string, now: Date): string | undefined {
  const [, userId = '', expires = '', signature = ''] = /^([\w-]{1,128})\.(\d{1,11})\.([\da-f]{64})$/.exec(text) ?? [];
  if (!signature || Number(expires) * 1000 <= now.getTime()) return undefined;
  return isMac(signature, secrets, (secret) => signatureOf(secret, userId, expires)) ? userId : undefined;
}
