/**
 * The addresses in a text, with commas, semicolons, spaces or lines between them; each once. `Ada <a@b.c>` counts as
 * `a@b.c`.
 */
export function addressesOf(text: string): string[] {
  const bare = text.replace(/[^,;\n<]*<([^<>\s]+)>/g, ' $1 ');
  return [
    ...new Set(
      bare
        .split(/[\s,;]+/)
        .filter(Boolean)
        .map((address) => address.toLowerCase()),
    ),
  ];
}

/** Whether it can be an address. The service judges it exactly. */
export const looksLikeAddress = (text: string): boolean => /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text);
