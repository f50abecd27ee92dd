import { z } from 'zod';

/**
 * The pages of a list, which become files of their own. `after` is a cursor of the list; null before its first page.
 */
const page = { page: z.number().int(), after: z.string().nullable() };
const ofDeck = { deckId: z.string(), folder: z.string(), cursor: z.string() };

/**
 * Where an export goes on, in the order of the steps. Everything before it is in the parts. A step of a deck has the
 * cursor behind the deck, so that the export goes on when the deck was deleted meanwhile.
 */
const place = z.discriminatedUnion('step', [
  z.object({ step: z.literal('account') }),
  z.object({ step: z.literal('events'), ...page }),
  /** The deck after a cursor; null for the first. */
  z.object({ step: z.literal('deck'), after: z.string().nullable() }),
  z.object({ step: z.literal('mails'), ...ofDeck, ...page }),
  z.object({ step: z.literal('views'), ...ofDeck, ...page }),
  /**
   * The files of a version behind a path; null for its list of files. The newest version of the deck without `version`.
   */
  z.object({ step: z.literal('files'), ...ofDeck, version: z.number().int().nullable(), after: z.string().nullable() }),
  z.object({ step: z.literal('index') }),
]);
export type Place = z.output<typeof place>;
export type PlaceOf<Step extends Place['step']> = Extract<Place, { step: Step }>;

export const FIRST: Place = { step: 'account' };

export const writePlace = (of: Place): string => JSON.stringify(of);
export const readPlace = (text: string | null): Place => (text === null ? FIRST : place.parse(JSON.parse(text)));
