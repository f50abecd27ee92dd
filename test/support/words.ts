/** The words of a text: a list of values without white space. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
