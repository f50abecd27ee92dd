/** HTML text that is safe to insert into HTML. */
class Markup {
  constructor(readonly text: string) {}
}
export type { Markup };

type Part = string | number | Markup | false | null | undefined | readonly Part[];

/**
 * The tag that makes HTML. Everything interpolated is escaped, in text and in quoted attributes, unless it is markup
 * itself. `false`, `null` and `undefined` give nothing; the parts of an array follow each other.
 */
export function markup(literals: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(literals.reduce((text, literal, i) => text + textOf(parts[i - 1]) + literal));
}

/** Marks a style sheet or a script of this repository as markup. Text of a request or a record must never come here. */
export const trusted = (text: string) => new Markup(text);

/**
 * A value as JSON for a script element that holds data. The text of the value cannot end the element, or begin a
 * comment in it.
 */
export const jsonMarkup = (value: unknown) =>
  new Markup(JSON.stringify(value).replace(/[<>&]/g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`));

function textOf(part: Part): string {
  if (part === false || part === null || part === undefined) return '';
  if (part instanceof Markup) return part.text;
  return typeof part === 'object' ? part.map(textOf).join('') : escape(String(part));
}

// Five replacements need no package: the known ones (escape-html, html-escaper) do exactly this.
function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
