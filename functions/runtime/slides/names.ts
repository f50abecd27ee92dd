/** What names a slide. */
export interface Named {
  /** The id that its author gave it. */
  id?: string | undefined;
  title: string;
}

const MAX_TITLE = 200;
/** Ids and hashes that tools number. */
const NUMBERED = /^[/!]*(?:slides?|sections?|steps?|pages?|s|p)?[-_=/]*(\d+)$/i;
/** What stands within a line of text. */
const INLINE = /^(a|b|i|u|em|strong|span|code|small|mark|font|tspan)$/i;
const known = new WeakMap<Element, Named>();

/** The number in an id or a hash that has nothing else. */
export const numberIn = (id: string): number | undefined => {
  const number = NUMBERED.exec(id)?.[1];
  return number === undefined ? undefined : +number;
};

/**
 * Text in one line, as the service takes it: without control characters, changes of direction, halves of characters.
 */
export const lineOf = (text: string | null | undefined): string => {
  const line = `${text ?? ''}`
    .slice(0, 5 * MAX_TITLE)
    .normalize('NFC')
    .replace(/[\s\p{Cc}\p{Cs}\p{NChar}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]+/gu, ' ')
    .trim();
  return /^[\p{DI}\s\u2800]*$/u.test(line) ? '' : cut(line, MAX_TITLE);
};

/** The beginning of a text, without half of a character. */
export const cut = (text: string, length: number): string =>
  text
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();

/** Names a slide by its element. `id` is that of the element unless another one is given. */
export function nameOf(element: Element, id = element.id): Named {
  const name = known.get(element) ?? { id: authorId(id), title: titleOf(element) };
  // An element without text may get its content later.
  if (name.title) known.set(element, name);
  return name;
}

/** The id, unless a tool has numbered it. */
export const authorId = (id: unknown): string | undefined =>
  typeof id === 'string' && numberIn(id) === undefined ? lineOf(id) : undefined;

/** The first heading of the highest rank, else the first line of text. */
export function titleOf(element: Element): string {
  for (const rank of ['h1,[font-size=h1]', 'h2,[font-size=h2]', 'h3,h4,h5,h6']) {
    const title = lineOf(element.querySelector(rank)?.textContent);
    if (title) return title;
  }
  return lineOf(firstLine(element));
}

function firstLine(element: Element): string {
  const nodes = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  let line = '';
  let block: Element | undefined;
  while (nodes.nextNode()) {
    const { nodeName, nodeValue, parentElement } = nodes.currentNode;
    const isBegun = lineOf(line) !== '';
    if (isBegun && nodeName === 'BR') break;
    if (nodeName !== '#text' || parentElement!.closest('script,style,aside,template')) continue;
    let around = parentElement!;
    while (around !== element && INLINE.test(around.localName)) around = around.parentElement!;
    if (isBegun && around !== block) break;
    block = around;
    line += nodeValue;
  }
  return line;
}
