import type { Markup } from './markup';

/** Characters that an XML document cannot hold, not even escaped. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** An XML document. Texts of users may hold any character; those that XML does not know are left out. */
export const xmlDocument = ({ text }: Markup) =>
  `<?xml version="1.0" encoding="utf-8"?>\n${text.replace(forbidden, '')}\n`;
