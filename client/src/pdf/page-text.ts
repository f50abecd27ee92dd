import type { TextItem } from 'pdfjs-dist/types/src/display/api';

/** A page with more text is cut: a reader finds the rest when the page is shown. */
const MAX_TEXT = 20_000;

export const plainLine = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/[\s\p{Cc}\p{Cs}\p{Co}]+/gu, ' ')
    .trim();

/** The text of a page as lines. */
export const textOf = (items: readonly TextItem[]) =>
  items
    .map(({ str, hasEOL }) => (hasEOL ? `${str}\n` : str))
    .join('')
    .split('\n')
    .map(plainLine)
    .filter((line) => line !== '')
    .join('\n')
    .slice(0, MAX_TEXT);

/** The largest text with letters, of which the first one, with the lines that continue it. Empty when there is none. */
export function titleIn(items: readonly TextItem[]): string {
  const runs: { text: string; size: number; bottom: number }[] = [];
  for (const item of items) {
    const size = Math.hypot(item.transform[2] as number, item.transform[3] as number);
    const bottom = item.transform[5] as number;
    const last = runs.at(-1);
    const isSame = last && Math.abs(last.size - size) < size / 20 && Math.abs(last.bottom - bottom) < 2 * size;
    if (item.str.trim() === '') {
      if (last) last.text += ' ';
    } else if (isSame) Object.assign(last, { text: last.text + item.str, bottom });
    else runs.push({ text: item.str, size, bottom });
    if (item.hasEOL && runs.length > 0) runs.at(-1)!.text += ' ';
  }
  const titles = runs.filter(({ text }) => /\p{L}.*\p{L}/u.test(text));
  const largest = Math.max(...titles.map(({ size }) => size));
  return plainLine(titles.find(({ size }) => size >= largest)?.text ?? '');
}
