import { TokenType, tokenizer } from '@csstools/css-tokenizer';
import { lineCounter, type Reference } from './reference';

/** The functions whose strings are addresses. */
const ADDRESS_FUNCTIONS = new Set(['url', 'src', 'image-set', '-webkit-image-set']);

/**
 * The addresses in `url()`, `image-set()` and `@import` of a stylesheet. `firstLine` is the number of its first line.
 */
export function cssReferences(css: string, firstLine = 1): Reference[] {
  const references: Reference[] = [];
  /** The open blocks and functions, such as `{` and `url`. */
  const open: string[] = [];
  const lineAt = lineCounter(css, firstLine);
  let atRule = '';
  /** Where the references of the open `@font-face` begin. */
  let fontFrom: number | undefined;
  const add = (address: string, start: number) => references.push({ address, line: lineAt(start), kind: 'file' });

  const tokens = tokenizer({ css });
  while (!tokens.endOfFile()) {
    const [type, , start, , value] = tokens.nextToken();
    if (type === TokenType.Whitespace || type === TokenType.Comment) continue;
    if (type === TokenType.URL) add(value.value, start);
    else if (type === TokenType.String && (atRule === 'import' || ADDRESS_FUNCTIONS.has(open.at(-1) ?? '')))
      add(value.value, start);
    // The address of `@import` comes first. What follows it, such as `layer(base)`, holds none.
    if (atRule === 'import' && type !== TokenType.Function) atRule = '';
    if (type === TokenType.AtKeyword) atRule = value.value.toLowerCase();
    else if (type === TokenType.Function) open.push(value.value.toLowerCase());
    else if (type === TokenType.OpenParen || type === TokenType.OpenCurly) {
      open.push('');
      if (type === TokenType.OpenCurly && atRule === 'font-face') fontFrom = references.length;
      atRule = '';
    } else if (type === TokenType.CloseParen) open.pop();
    else if (type === TokenType.CloseCurly) {
      open.pop();
      if (fontFrom !== undefined)
        for (const source of firstFormat(references.splice(fontFrom))) references.push(source);
      fontFrom = undefined;
    }
  }
  return references;
}

/**
 * Browsers ask for the first format that they know. All of them know WOFF2: the formats beside it are not asked for.
 */
function firstFormat(sources: Reference[]): Reference[] {
  const woff2 = sources.filter(({ address }) => /\.woff2([?#]|$)/i.test(address));
  return woff2.length > 0 ? woff2 : sources;
}
