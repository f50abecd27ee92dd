type Cell = string | number | null | undefined;

/** A line of CSV. A text that a spreadsheet would run as a formula gets a `'` before it. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellOf).join(',')}\n`;

function cellOf(value: Cell): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = /^[=+\-@\t]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
