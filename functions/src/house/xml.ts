import { h, type ComponentChildren, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** An element of XML. Its attributes must not be empty: an empty one is written as HTML writes it. */
export const xml = (name: string, attributes: Record<string, string>, ...children: ComponentChildren[]): VNode =>
  h(name, attributes, ...children);

/** Characters that an XML document cannot hold, not even escaped. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** An XML document. Texts of users may hold any character; those that XML does not know are left out. */
export function xmlDocument(root: VNode): string {
  // Preact escapes what HTML demands. In XML, the end of a CDATA section must not stand in a text, either.
  const text = renderToString(root).replace(forbidden, '').replaceAll(']]>', ']]&gt;');
  return `<?xml version="1.0" encoding="utf-8"?>\n${text}\n`;
}
