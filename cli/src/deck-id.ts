/** Whether a text has the form of a deck's id. */
export function isDeckId(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);
}

/** A deck of a service. */
export interface DeckPlace {
  baseUrl: string;
  presentationId: string;
}

/** The name of a deck in the files of the config folder. */
export const deckKey = ({ baseUrl, presentationId }: DeckPlace) => `${baseUrl} ${presentationId}`;
