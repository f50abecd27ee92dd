/**
 * Rows of cells as lines with aligned columns. A cell of more than `longest` characters is cut, so that one long name
 * does not push the other columns away; the last cell of a row is never cut.
 */
export function columns(rows: readonly (readonly string[])[], longest = 40): string[] {
  const cut = rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : shorten(cell, longest))));
  const widths: number[] = [];
  for (const row of cut) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, lengthOf(cell))));
  return cut.map((row) =>
    row.map((cell, i) => (i === row.length - 1 ? cell : cell + ' '.repeat(widths[i]! - lengthOf(cell)))).join('  '),
  );
}

function shorten(text: string, longest: number): string {
  const characters = [...text];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text;
}

const lengthOf = (text: string) => [...text].length;
