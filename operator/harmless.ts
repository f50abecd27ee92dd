/**
 * The text with an escape for each character that commands a terminal or changes the direction of the words around it:
 * reports, titles and names are texts of strangers. JSON keeps its value. Line breaks stay.
 */
export const harmless = (text: string): string =>
  text.replace(
    /[^\n\P{Cc}]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
