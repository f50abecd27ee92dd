import { Tokenizer, type Token } from 'parse5';
import { charsetOf } from './content-types';

/** Where an element goes that must run before everything else of a document. */
export interface Insertion {
  /** The position in bytes. */
  at: number;
  /** The Content-Type of the document with the element. */
  contentType: string;
}

/**
 * The number of the rule below. Raise it when the place or the type of any document changes: browsers keep a page for
 * as long as its ETag, which contains this number, stays the same.
 */
export const INSERTION_VERSION = 1;

/** Only this much of a document is looked at. One that has not opened its head until then gets no element. */
const SEARCHED_BYTES = 64 * 1024;
/** Browsers look for the declaration of the encoding in this many bytes. */
const DECLARATION_BYTES = 1024;
/** In these encodings an ASCII element would be other text. */
const otherThanAscii = ['utf-16le', 'utf-16be', 'iso-2022-jp'];

/**
 * The place for an element in HTML: after the byte order mark, the doctype, the start tags of `html` and `head` and
 * what stands between them, and before anything else. `bytes` are the first ones of the document. Undefined when the
 * document must stay as it is: its encoding is not compatible with ASCII, or its head is not found.
 */
export function insertionOf(bytes: Buffer, isWhole: boolean, contentType: string): Insertion | undefined {
  if (['feff', 'fffe'].includes(bytes.toString('hex', 0, 2))) return undefined;
  const mark = bytes.toString('hex', 0, 3) === 'efbbbf' ? 3 : 0;
  const searched = bytes.subarray(mark, SEARCHED_BYTES);
  const { at, declared } = searchHtml(searched, isWhole && bytes.length <= SEARCHED_BYTES);
  const named = mark ? 'utf-8' : encodingOf(charsetOf(contentType));
  const encoding = named ?? declared;
  if (at === undefined || (encoding && otherThanAscii.includes(encoding))) return undefined;
  // The element may move the declaration to where browsers do not look for it.
  const isAdded = !named && declared;
  return { at: mark + at, contentType: isAdded ? withCharset(contentType, declared) : contentType };
}

/** Finds the place for the element, and the encoding that a `meta` element declares. */
function searchHtml(bytes: Buffer, isWhole: boolean): { at?: number; declared?: string } {
  const found: { at?: number; declared?: string } = {};
  let after = 0;
  let isOver = false;
  const end = () => {
    if (!isOver) found.at = after;
    isOver = true;
  };
  const pass = ({ location }: Token.Token) => {
    if (!isOver) after = location!.endOffset;
  };
  const handler = {
    onDoctype: pass,
    onComment: pass,
    onWhitespaceCharacter() {},
    onCharacter: end,
    onNullCharacter: end,
    // Browsers ignore other end tags before the head.
    onEndTag: ({ tagName }: Token.TagToken) => ['head', 'body', 'html', 'br'].includes(tagName) && end(),
    // The last token may be a comment without an end.
    onEof: () => after < bytes.length && end(),
    onStartTag(tag: Token.TagToken) {
      if (tag.tagName === 'html' || tag.tagName === 'head') pass(tag);
      if (tag.tagName !== 'html') end();
      const isEarly = tag.location!.startOffset < DECLARATION_BYTES;
      if (isEarly && tag.tagName === 'meta') found.declared ??= declarationIn(tag);
      if (isOver && !isEarly) tokenizer.pause();
    },
  };
  const tokenizer = new Tokenizer({ sourceCodeLocationInfo: true }, handler);
  // One character for each byte: positions are those of the bytes.
  tokenizer.write(bytes.toString('latin1'), isWhole);
  return found;
}

/** The encoding that a `meta` element declares, by the rules of the HTML standard ("prescan a byte stream"). */
function declarationIn({ attrs }: Token.TagToken): string | undefined {
  const valueOf = (name: string) => attrs.find((each) => each.name === name)?.value;
  const isPragma = valueOf('http-equiv')?.toLowerCase() === 'content-type';
  const inPragma = /charset\s*=\s*(?:["']\s*)?([^\s;"']+)/i.exec((isPragma && valueOf('content')) || '')?.[1];
  const encoding = encodingOf(valueOf('charset') ?? inPragma);
  // A document in UTF-16 could not be read so far.
  return encoding?.startsWith('utf-16') ? 'utf-8' : encoding;
}

/** The name of the encoding that browsers know by this label. */
function encodingOf(label: string | undefined): string | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function withCharset(contentType: string, charset: string): string {
  const type = charsetOf(contentType) === undefined ? contentType : 'text/html';
  return `${type}; charset=${charset}`;
}
