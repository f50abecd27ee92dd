/** The browser reads the archive from memory or disk after the click. */
const KEPT_MS = 60_000;

/** Saves bytes that the page has, as a download. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

/** A title without the characters that file systems refuse, and of a length that they accept. */
export const fileName = (title: string): string =>
  title
    .replace(/[\p{Cc}\p{Cf}"*/:<>?\\|]+/gu, ' ')
    .trim()
    .slice(0, 80)
    .trim() || 'deck';
