import { Tokenizer, TokenizerMode } from 'parse5';

/** What a document says about itself for link previews. */
export interface HtmlMetadata {
  /** Plain text on one line, at most 300 characters. */
  description?: string;
  /** The address of a picture, as the document spells it. */
  picture?: string;
}

const MAX_DESCRIPTION = 300;
const MAX_ADDRESS = 2048;

/** The elements that the head of a document may have. Any other start tag ends the head (HTML standard, "in head"). */
const headElements = new Set([
  ...['html', 'head', 'base', 'basefont', 'bgsound', 'link', 'meta'],
  ...['title', 'style', 'script', 'noscript', 'noframes'],
]);

/**
 * Reads the head of a document, of which `html` is the first part. It reads tokens and builds no tree, so its time is
 * linear in the length of any document.
 */
export function metadataOf(html: string): HtmlMetadata {
  // The tree builder of a browser tells its tokenizer in which elements tags are text.
  const textModes: Partial<Record<string, (typeof TokenizerMode)[keyof typeof TokenizerMode]>> = {
    title: TokenizerMode.RCDATA,
    style: TokenizerMode.RAWTEXT,
    noscript: TokenizerMode.RAWTEXT,
    noframes: TokenizerMode.RAWTEXT,
    script: TokenizerMode.SCRIPT_DATA,
  };
  const found = new Map<string, string>();
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    {},
    {
      onComment: ignore,
      onDoctype: ignore,
      onEndTag: ignore,
      onEof: ignore,
      onCharacter: ignore,
      onNullCharacter: ignore,
      onWhitespaceCharacter: ignore,
      onStartTag({ tagName, attrs }) {
        if (!headElements.has(tagName)) return tokenizer.pause();
        tokenizer.state = textModes[tagName] ?? TokenizerMode.DATA;
        if (tagName !== 'meta') return;
        const { name, property = name, content } = Object.fromEntries(attrs.map((each) => [each.name, each.value]));
        const key = property?.trim().toLowerCase();
        if (key && content && !found.has(key)) found.set(key, content);
      },
    },
  );
  tokenizer.write(html, true);
  const description = plainText(found.get('description')) ?? plainText(found.get('og:description'));
  const picture = found.get('og:image')?.trim();
  return { ...(description && { description }), ...(picture && picture.length <= MAX_ADDRESS && { picture }) };
}

/** The text on one line and shortened. Undefined without text, and for text of another encoding than UTF-8. */
function plainText(text = ''): string | undefined {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  if (line === '' || line.includes('\ufffd')) return undefined;
  const characters = [...line];
  if (characters.length <= MAX_DESCRIPTION) return line;
  return `${characters
    .slice(0, MAX_DESCRIPTION - 1)
    .join('')
    .trimEnd()}…`;
}
