import { z } from 'zod';
import type { Context } from '../context';
import type { LinkGrant } from '../values/deck-grants';
import { collection, date, paths } from './collections';
import type { Transaction } from './database';
import { commitDocuments } from './firestore/client';
import { isAlreadyExists } from './refusals';

/** An opening of a gated link, with what its reader proved. The TTL policy deletes it after its grant has ended. */
export const opening = z.object({
  tokenId: z.string(),
  /** The proven address; null where the link did not ask for one. */
  email: z.string().nullable(),
  createdAt: date,
  expiresAt: date,
});

export const openingRef = (presentationId: string, openingId: string) =>
  collection(paths.openings(presentationId), opening).doc(openingId);

/** A grant lives for a day. */
const OPENING_TTL_MS = 25 * 3600_000;

export function createOpening(
  tx: Transaction,
  { presentationId, tokenId, id }: Pick<LinkGrant, 'presentationId' | 'tokenId' | 'id'>,
  email: string | null,
  now: Date,
): void {
  const expiresAt = new Date(now.getTime() + OPENING_TTL_MS);
  tx.create(openingRef(presentationId, id), { tokenId, email, createdAt: now, expiresAt });
}

/** That the ticket of an opening was used. The TTL policy deletes it. */
const usedTicket = z.object({ expiresAt: date });

/** A ticket lives for a minute. */
const USED_TICKET_TTL_MS = 3600_000;

/**
 * Uses the ticket of an opening up. False when it was used before: an opening gives one grant, whoever passes its
 * address around. One write, which is applied once.
 */
export async function useTicket(
  { presentationId, id }: Pick<LinkGrant, 'presentationId' | 'id'>,
  context: Context,
  now: Date,
): Promise<boolean> {
  const { path } = collection(paths.usedTickets(presentationId), usedTicket).doc(id);
  const fields = { expiresAt: new Date(now.getTime() + USED_TICKET_TTL_MS) };
  if (context.trail) context.trail.databaseWrites++;
  try {
    await commitDocuments([{ path, fields, exists: false }], context);
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}
