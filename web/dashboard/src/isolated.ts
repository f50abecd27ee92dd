/** Letters that are written from right to left, and the signs that change the direction of a text. */
const TURNS =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A text of people within a sentence. Its direction does not reach the words around it, whatever signs it contains. */
export const isolated = (text: string): string => (TURNS.test(text) ? `\u2068${text}\u2069` : text);
