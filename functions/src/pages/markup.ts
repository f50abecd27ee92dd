import { escapeHtml } from '../values/escape-html';

/** HTML that may be inserted into HTML without escaping. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = string | number | Markup | false | null | undefined | readonly Part[];

/** Builds HTML. Escapes every inserted value except Markup. False, null and undefined insert nothing. */
export function markup(literals: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(literals.reduce((text, literal, i) => text + textOf(parts[i - 1]) + literal));
}

function textOf(part: Part): string {
  if (part === false || part === null || part === undefined) return '';
  if (part instanceof Markup) return part.text;
  return typeof part === 'object' ? part.map(textOf).join('') : escapeHtml(String(part));
}
