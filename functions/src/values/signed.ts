import { isMac, mac } from './secrets';

/**
 * A value as text, with a signature: base64url of its JSON, a dot, and 64 hex characters. Whoever has it can read it.
 */
export function writeSigned(secret: string, purpose: string, value: object): string {
  const payload = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${payload}.${mac(secret, purpose, payload)}`;
}

/** The value of such a text. Undefined for a text that none of the secrets signed for this purpose. */
export function readSigned<T>(secrets: readonly string[], purpose: string, text: string): T | undefined {
  const [, payload = '', signature = ''] = /^([\w-]{1,2000})\.([\da-f]{64})$/.exec(text) ?? [];
  if (!signature) return undefined;
  const isSigned = isMac(signature, secrets, (secret) => mac(secret, purpose, payload));
  return isSigned ? (JSON.parse(Buffer.from(payload, 'base64url').toString()) as T) : undefined;
}
