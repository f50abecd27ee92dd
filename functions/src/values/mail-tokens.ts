import { timingSafeEqual } from 'node:crypto';
import { NIL, parse, stringify } from 'uuid';
import { mac } from './secrets';

/** Whom a mail was sent to and by which organization, about which deck. */
export interface MailOrigin {
  /** See `recipientIdOf`. */
  recipientId: string;
  /** UUIDs. */
  organizationId: string;
  presentationId: string;
}

/** Stands for the organization, and for the deck, of a mail that the service sends in its own name. */
export const SERVICE_ID = NIL;

/** The invitation of an address to a deck. Both are UUIDs. */
export interface InvitationName {
  presentationId: string;
  collaboratorId: string;
}

/**
 * The id of a mailbox (`mailboxOf`): 32 hex characters of an HMAC. It reveals nothing about the address without the
 * key.
 */
export const recipientIdOf = (key: string, mailbox: string) => mac(key, 'mail-recipient', mailbox).slice(0, 32);

/**
 * The token in the links of a mail: recipient, organization and deck, and an HMAC of the three, in base64url. It has 86
 * characters. A guess succeeds with a probability of 2^-128.
 */
export function writeMailToken(key: string, { recipientId, organizationId, presentationId }: MailOrigin): string {
  return signed(key, 'mail-link', [Buffer.from(recipientId, 'hex'), parse(organizationId), parse(presentationId)]);
}

/** The origin that a token names; undefined when the key did not sign the token. */
export function readMailToken(key: string, token: string): MailOrigin | undefined {
  const parts = partsOf(key, 'mail-link', token, 3);
  if (!parts) return undefined;
  const [recipient, organization, presentation] = parts as [Buffer, Buffer, Buffer];
  return {
    recipientId: recipient.toString('hex'),
    organizationId: stringify(organization),
    presentationId: stringify(presentation),
  };
}

/**
 * The token of the link that opens an invitation: deck, collaborator and an HMAC of both. It has 64 characters, does
 * not expire, and works while the row is not revoked.
 */
export function writeInvitationToken(key: string, { presentationId, collaboratorId }: InvitationName): string {
  return signed(key, 'invitation', [parse(presentationId), parse(collaboratorId)]);
}

/** The invitation that a token names; undefined when the key did not sign the token. */
export function readInvitationToken(key: string, token: string): InvitationName | undefined {
  const parts = partsOf(key, 'invitation', token, 2);
  if (!parts) return undefined;
  const [presentation, collaborator] = parts as [Buffer, Buffer];
  return { presentationId: stringify(presentation), collaboratorId: stringify(collaborator) };
}

const PART_BYTES = 16;

const signatureOf = (key: string, purpose: string, body: Buffer) =>
  Buffer.from(mac(key, purpose, body.toString('hex')), 'hex').subarray(0, PART_BYTES);

/** Parts of 16 bytes and their HMAC, in base64url. */
function signed(key: string, purpose: string, parts: readonly Uint8Array[]): string {
  const body = Buffer.concat(parts);
  return Buffer.concat([body, signatureOf(key, purpose, body)]).toString('base64url');
}

/** The parts of a token; undefined when the key did not sign this number of parts for this purpose. */
function partsOf(key: string, purpose: string, token: string, count: number): Buffer[] | undefined {
  const bytes = Buffer.from(token, 'base64url');
  // Buffer skips characters that base64url does not have.
  if (bytes.length !== (count + 1) * PART_BYTES || bytes.toString('base64url') !== token) return undefined;
  const body = bytes.subarray(0, count * PART_BYTES);
  if (!timingSafeEqual(bytes.subarray(body.length), signatureOf(key, purpose, body))) return undefined;
  return Array.from({ length: count }, (_, i) => body.subarray(i * PART_BYTES, (i + 1) * PART_BYTES));
}
