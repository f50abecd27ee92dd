import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Keys derived from the service secret, one for each purpose, so that a use of one tells nothing of another.
 * `purpose` is part of stored data: changing it makes what was stored unreadable.
 */
function deriveKey(secret: string, purpose: string): Buffer {
  if (secret.length < 16) throw new Error('SERVICE_SECRET is missing or shorter than 16 characters.');
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}

/** HMAC-SHA-256 of the parts under a key of its own, hex. The parts are length-prefixed: no two lists collide. */
export function mac(secret: string, purpose: string, ...parts: string[]): string {
  const hmac = createHmac('sha256', deriveKey(secret, purpose));
  for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:${part}`);
  return hmac.digest('hex');
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts with AES-256-GCM, bound to `context`: the result opens only with the same context. Base64url. */
export function seal(secret: string, purpose: string, plain: string, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secret, purpose), nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url');
}

/** Opens what `seal` made; throws when the secret, the context or a byte differs. */
export function unseal(secret: string, purpose: string, sealed: string, context: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(secret, purpose), bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}
