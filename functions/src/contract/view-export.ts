import type { z } from 'zod';
import type { viewRow } from './view-fields';

type Row = z.output<typeof viewRow>;

const columns = [
  ...(['viewId', 'tokenId', 'tokenName', 'email', 'emailIsProven', 'version', 'startedAt', 'lastSeenAt'] as const),
  ...(['seconds', 'slideCount', 'maxSlide', 'hasScript', 'device', 'language', 'referrerHost', 'slides'] as const),
] satisfies (keyof Row)[];

/** A spreadsheet runs a cell that begins with one of these. */
const formula = /^[=+\-@\t\r]/;

/** A cell of CSV (RFC 4180). */
function cellOf(value: Row[keyof Row]): string {
  if (value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The forms of an export of views. */
export const viewFormats = {
  csv: {
    type: 'text/csv',
    heading: `${columns.join(',')}\r\n`,
    line: (row: Row) => `${columns.map((column) => cellOf(row[column])).join(',')}\r\n`,
  },
  ndjson: {
    type: 'application/x-ndjson',
    heading: '',
    line: (row: Row) => `${JSON.stringify(row)}\n`,
  },
};
