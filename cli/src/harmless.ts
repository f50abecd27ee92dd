/** The styles that this client writes: bold, dim, black, red, green, yellow, cyan, on white, and their ends. */
const STYLES = new Set([1, 2, 22, 30, 31, 32, 33, 36, 39, 47, 49].map((code) => `\x1b[${code}m`));

// eslint-disable-next-line no-control-regex -- the pattern must match control characters
const COMMANDS = /\x1b\[\d{1,2}m|[^\n\t\P{Cc}]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * The text without what could command the terminal or show its words in another order. Lines, tabs and, where
 * `hasStyles`, the styles of this client stay: any other control character becomes a space.
 */
export function harmless(text: string, hasStyles: boolean): string {
  return text.replace(COMMANDS, (found) => (hasStyles && STYLES.has(found) ? found : ' '));
}

/** A JSON text with the same value, in which every character that could do the same is escaped. */
export function harmlessJson(json: string): string {
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(/[\x7f-\x9f\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, escape);
}
