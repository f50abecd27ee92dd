import { z } from 'zod';
import { LAST_MOMENT_MS, type Cursor } from './cursor';
import { isId } from './ids';

/**
 * The position where a page of the decks of a user begins: among the own decks, or among those of others. `after` is
 * the last deck before it; among the decks of others it is absent at their start.
 */
export type DeckCursor = { isShared: false; after: Cursor } | { isShared: true; after?: Cursor | undefined };

/** The text for clients. It contains nothing that the page did not show. */
export function writeDeckCursor({ isShared, after }: DeckCursor): string {
  const parts = [...(after ? [after.time.getTime(), after.id] : []), ...(isShared ? ['shared'] : [])];
  return Buffer.from(parts.join('.')).toString('base64url');
}

/** Parses a cursor that `writeDeckCursor` made; any other text is an invalid argument. */
export const deckCursor = z.string().transform((text, context): DeckCursor => {
  const plain = Buffer.from(text, 'base64url').toString();
  if (plain === 'shared') return { isShared: true };
  const [, digits = '', id = '', shared] = /^(\d{1,15})\.([^.]+)(\.shared)?$/.exec(plain) ?? [];
  if (digits !== '' && Number(digits) <= LAST_MOMENT_MS && isId(id)) {
    return { isShared: shared !== undefined, after: { time: new Date(Number(digits)), id } };
  }
  context.issues.push({ code: 'custom', message: 'This is not a cursor of this service.', input: text });
  return z.NEVER;
});
