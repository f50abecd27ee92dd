import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** Derived keys by purpose and secret. Derivation costs as much as the rest of a signature. */
const keys = new Map<string, Map<string, Buffer>>();
/** A deployment has a few secrets. More than these keys of a purpose are derived again. */
const MAX_KEYS = 20;

/**
 * Derives a key from the service secret for each purpose: a key of one purpose reveals nothing about another. Stored
 * data depends on `purpose`; changing it makes that data unreadable. Throws when the secret is missing or too short.
 */
function deriveKey(secret: string, purpose: string): Buffer {
  const known = keys.get(purpose) ?? new Map<string, Buffer>();
  const key = known.get(secret);
  if (key) return key;
  if (secret.length < 16) throw new Error('SERVICE_SECRET is missing or shorter than 16 characters.');
  const derived = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
  if (known.size < MAX_KEYS) keys.set(purpose, known.set(secret, derived));
  return derived;
}

/**
 * HMAC-SHA-256 of the values in hex, with the key of the purpose. Each value is prefixed with its length, so two
 * different lists never have the same input.
 */
export function mac(secret: string, purpose: string, ...values: string[]): string {
  const hmac = createHmac('sha256', deriveKey(secret, purpose));
  for (const value of values) hmac.update(`${Buffer.byteLength(value)}:${value}`);
  return hmac.digest('hex');
}

/** Whether `sent`, 64 hexadecimal characters, is what `of` makes with one of the secrets. In constant time. */
export function isMac(sent: string, secrets: readonly string[], of: (secret: string) => string): boolean {
  const bytes = Buffer.from(sent, 'hex');
  return secrets.some((secret) => timingSafeEqual(bytes, Buffer.from(of(secret), 'hex')));
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts with AES-256-GCM and returns base64url. `unseal` needs the same secret, purpose and context. */
export function seal(secret: string, purpose: string, plain: string, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secret, purpose), nonce).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url');
}

/**
 * Decrypts a result of `seal` with the secret that sealed it. Throws when that secret is not among `secrets`, and when
 * the purpose, the context or one byte differs.
 */
export function unseal(secrets: readonly string[], purpose: string, sealed: string, context: string): string {
  let failure: unknown;
  for (const secret of secrets) {
    try {
      return unsealWith(secret, purpose, sealed, context);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

function unsealWith(secret: string, purpose: string, sealed: string, context: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(secret, purpose), bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}
