import { escapeHtml } from '../values/escape-html';

/** HTML that is fit to be put into HTML as it stands. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = string | number | Markup | false | null | undefined | readonly Part[];

/** HTML in which everything that is put in is escaped, unless it is markup itself. What is false, null or undefined leaves nothing. */
export function markup(literals: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(literals.reduce((text, literal, i) => text + textOf(parts[i - 1]) + literal));
}

function textOf(part: Part): string {
  if (part === false || part === null || part === undefined) return '';
  if (part instanceof Markup) return part.text;
  return typeof part === 'object' ? part.map(textOf).join('') : escapeHtml(String(part));
}
