import { createHmac, timingSafeEqual } from 'node:crypto';

const partOf = (value: object | Buffer) =>
  (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString('base64url');
const signatureOf = (secret: Buffer, text: string) => createHmac('sha256', secret).update(text).digest();

/**
 * The token with which a task calls its function: a JSON Web Token for the address of the function. In the cloud Google
 * signs it, and refuses every other call before the function gets it.
 */
export function mintToken(secret: Buffer, { email, audience, now }: { email: string; audience: string; now: number }) {
  const seconds = Math.floor(now / 1000);
  const claims = { aud: audience, email, email_verified: true, sub: email, iat: seconds, exp: seconds + 3600 };
  const text = `${partOf({ alg: 'HS256', typ: 'JWT' })}.${partOf(claims)}`;
  return `${text}.${partOf(signatureOf(secret, text))}`;
}

/** Whether the value of an `Authorization` header is such a token of this start, for a function of this name. */
export function isTaskToken(secret: Buffer, authorization: string | undefined, name: string): boolean {
  const [, text = '', payload = '', signature = ''] =
    /^Bearer ([\w-]+\.([\w-]+))\.([\w-]+)$/.exec(authorization ?? '') ?? [];
  const sent = Buffer.from(signature, 'base64url');
  const right = signatureOf(secret, text);
  if (sent.length !== right.length || !timingSafeEqual(sent, right)) return false;
  const { aud } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { aud: string };
  return aud.endsWith(`/${name}`);
}
