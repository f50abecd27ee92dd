/** The longest cell in characters. A longer one is cut, so that one long name does not push the other columns away. */
const CELL_LENGTH = 40;

/** Rows of cells as lines with aligned columns. The last cell of a row is never cut. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const cut = rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : shorten(cell))));
  const widths: number[] = [];
  for (const row of cut) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, lengthOf(cell))));
  return cut.map((row) =>
    row.map((cell, i) => (i === row.length - 1 ? cell : cell + ' '.repeat(widths[i]! - lengthOf(cell)))).join('  '),
  );
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length > CELL_LENGTH ? `${characters.slice(0, CELL_LENGTH - 1).join('')}…` : text;
}

const lengthOf = (text: string) => [...text].length;
