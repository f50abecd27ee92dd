/** The title is looked for in the first 256 KB of the page, so that inline style sheets may precede it. */
export const HEAD_BYTES = 256 * 1024;
export const MAX_TITLE_LENGTH = 255;

/** The title of a new deck: the `<title>` of its entry, or else the name of the folder. */
export function defaultTitle(head: string, folderName: string): string {
  return titleOf(head) ?? (shorten(folderName) || 'Untitled');
}

/** The text of a page's first `<title>`, cut to 255 characters. Undefined when the page has no title or a blank one. */
export function titleOf(html: string): string | undefined {
  // Comments are removed, because a title in a comment is not the page's. The title of an inline SVG comes after the
  // head.
  const text = /<title(?:\s[^>]*)?(?:>([^]*?)(?:<\/title\s*>|$)|$)/i.exec(html.replace(/<!--[^]*?(?:-->|$)/g, ''))?.[1];
  return shorten(decodeEntities(text ?? '')) || undefined;
}

function shorten(text: string): string {
  const line = text
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    // The service refuses them in titles: halves of characters, noncharacters, tags, and changes of direction, which
    // a cut could leave open.
    .replace(/[\p{Cs}\p{Noncharacter_Code_Point}\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  // A cut inside a surrogate pair leaves a lone surrogate, which is not a character.
  const title = line
    .slice(0, MAX_TITLE_LENGTH)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
  return /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]/u.test(title) ? title : '';
}

const namedEntities: Record<string, string> = {
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
      if (name !== undefined) return namedEntities[name.toLowerCase()] ?? whole;
      const code = hex !== undefined ? parseInt(hex, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : whole;
    },
  );
}
