import { timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'uuid';
import { mac } from './secrets';

/** Whom a mail was sent to and by which organization, about which deck. */
export interface MailOrigin {
  /** See `recipientIdOf`. */
  recipientId: string;
  /** UUIDs. */
  organizationId: string;
  presentationId: string;
}

/**
 * The id of a mailbox (`mailboxOf`): 32 hex characters of an HMAC. It reveals nothing about the address without the key.
 */
export const recipientIdOf = (key: string, mailbox: string) => mac(key, 'mail-recipient', mailbox).slice(0, 32);

const PART_BYTES = 16;
const SIGNED_BYTES = 3 * PART_BYTES;

const sign = (key: string, signed: Buffer) =>
  Buffer.from(mac(key, 'mail-link', signed.toString('hex')), 'hex').subarray(0, PART_BYTES);

/**
 * The token in the links of a mail: recipient, organization and deck, and an HMAC of the three, in base64url. It has 86
 * characters. A guess succeeds with a probability of 2^-128.
 */
export function writeMailToken(key: string, { recipientId, organizationId, presentationId }: MailOrigin): string {
  const parts = [Buffer.from(recipientId, 'hex'), parse(organizationId), parse(presentationId)];
  const signed = Buffer.concat(parts);
  return Buffer.concat([signed, sign(key, signed)]).toString('base64url');
}

/** The origin that a token names; undefined when the key did not sign the token. */
export function readMailToken(key: string, token: string): MailOrigin | undefined {
  if (!/^[\w-]{86}$/.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const signed = bytes.subarray(0, SIGNED_BYTES);
  if (!timingSafeEqual(bytes.subarray(SIGNED_BYTES), sign(key, signed))) return undefined;
  const part = (i: number) => signed.subarray(i * PART_BYTES, (i + 1) * PART_BYTES);
  return {
    recipientId: part(0).toString('hex'),
    organizationId: stringify(part(1)),
    presentationId: stringify(part(2)),
  };
}
