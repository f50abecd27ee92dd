/** Whether a text has the form of a deck's id. */
export function isDeckId(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);
}
