import { open } from 'node:fs/promises';
import { basename } from 'node:path';

/** Far enough into a page to hold its title, style sheets and all. */
const headBytes = 256 * 1024;

/** The title of a new deck: the entry's own `<title>`, or else the folder's name. */
export async function defaultTitle(entryFile: string, folder: string): Promise<string> {
  const file = await open(entryFile);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return titleOf(buffer.toString('utf8', 0, bytesRead)) ?? (shorten(basename(folder)) || 'Untitled');
  } finally {
    await file.close();
  }
}

/** The text of a page's first `<title>`, at most 255 characters long; undefined when there is none or it is blank. */
export function titleOf(html: string): string | undefined {
  // A title inside a comment is not the page's, and neither is one inside an inline SVG, which comes after the head.
  const text = /<title(?:\s[^>]*)?>([\s\S]*?)<\/title\s*>/i.exec(html.replace(/<!--[\s\S]*?-->/g, ''))?.[1];
  return shorten(decodeEntities(text ?? '')) || undefined;
}

function shorten(text: string): string {
  const line = text
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  // A cut in the middle of a surrogate pair would leave half a character.
  return line
    .slice(0, 255)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
}

const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  middot: '·',
  bull: '•',
  copy: '©',
};

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return named[name.toLowerCase()] ?? whole;
      const code = hex !== undefined ? parseInt(hex, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : whole;
    },
  );
}
