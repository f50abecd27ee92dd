import stringWidth from 'string-width';

/**
 * Rows of cells as lines with aligned columns. A cell that takes more than `longest` columns of the terminal is cut, so
 * that one long name does not push the other columns away; the last cell of a row is never cut.
 */
export function columns(rows: readonly (readonly string[])[], longest = 40): string[] {
  const cut = rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : shorten(cell, longest))));
  const widths: number[] = [];
  for (const row of cut) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, stringWidth(cell))));
  return cut.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : padTo(cell, widths[i]!)))
      .join('  ')
      .trimEnd(),
  );
}

const graphemes = new Intl.Segmenter();

/**
 * The text in at most `longest` columns of a terminal, where a Chinese character takes two. A cut text ends with `…`.
 */
export function shorten(text: string, longest: number): string {
  if (stringWidth(text) <= longest) return text;
  let kept = '';
  let width = 1;
  for (const { segment } of graphemes.segment(text)) {
    width += stringWidth(segment);
    if (width > longest) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** The text with spaces up to `width` columns of a terminal. */
export const padTo = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - stringWidth(text)));
