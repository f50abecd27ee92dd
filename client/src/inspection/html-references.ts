import { Tokenizer, TokenizerMode, type Token } from 'parse5';
import type { Tool } from './check-frame';
import { cssReferences } from './css-references';
import type { Reference } from './reference';

interface PageReferences {
  /** The address of `<base href>`. */
  base: string | undefined;
  /** The tool that the page was made with, if it has a speaker view. */
  tool: Tool | undefined;
  references: Reference[];
}

type Attributes = Partial<Record<string, string>>;

/** The attributes that hold one address. */
const addressAttributes: Partial<Record<string, readonly string[]>> = {
  audio: ['src'],
  embed: ['src'],
  frame: ['src'],
  iframe: ['src'],
  image: ['href', 'xlink:href'],
  img: ['src'],
  object: ['data'],
  script: ['src'],
  source: ['src'],
  track: ['src'],
  use: ['href', 'xlink:href'],
  video: ['src', 'poster'],
};

const DOCUMENTS = new Set(['embed', 'frame', 'iframe', 'object']);

/** The links that browsers fetch. The others, such as `canonical`, only name an address. */
const FETCHED_LINKS =
  /(^|\s)(stylesheet|icon|apple-touch-icon(-precomposed)?|mask-icon|manifest|modulepreload|preload|prefetch)(\s|$)/i;

/** The elements whose content is text. A browser that runs scripts reads `noscript` as text. */
const textModes: Partial<Record<string, Tokenizer['state']>> = {
  script: TokenizerMode.SCRIPT_DATA,
  title: TokenizerMode.RCDATA,
  textarea: TokenizerMode.RCDATA,
  style: TokenizerMode.RAWTEXT,
  noscript: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  iframe: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  xmp: TokenizerMode.RAWTEXT,
  plaintext: TokenizerMode.PLAINTEXT,
};

/**
 * The addresses that a browser asks for when it loads the page and runs its scripts. Never throws: any text is HTML.
 */
export function htmlReferences(html: string): PageReferences {
  const page: PageReferences = { base: undefined, tool: undefined, references: [] };
  let isInReveal = false;
  const add = (references: readonly Reference[]) => {
    for (const reference of references) page.references.push(reference);
  };
  /** How many elements are open whose content is not loaded. */
  let templates = 0;
  /** The open element whose text holds addresses. */
  let reading: { text: string; line: number | undefined; read: typeof cssReferences } | undefined;
  const onText = ({ chars, location }: Token.CharacterToken) => {
    if (!reading) return;
    reading.line ??= location?.startLine;
    reading.text += chars;
  };
  const endText = () => {
    if (reading) add(reading.read(reading.text, reading.line));
    reading = undefined;
  };

  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag({ tagName: name, attrs, location }) {
        const mode = textModes[name];
        if (mode !== undefined) tokenizer.state = mode;
        if (name === 'template') templates++;
        if (templates > 0) return;
        const attributes: Attributes = Object.fromEntries(attrs.map((attribute) => [attribute.name, attribute.value]));
        if (name === 'base') page.base ??= attributes['href'];
        if (isInReveal && hasClass(attributes, 'slides')) page.tool ??= 'reveal.js';
        isInReveal ||= hasClass(attributes, 'reveal');
        page.tool ??= toolOf(attributes);
        add(elementReferences(name, attributes, location?.startLine ?? 1));
        const read = readerOf(name, attributes);
        if (read) reading = { text: '', line: undefined, read };
      },
      onEndTag({ tagName }) {
        if (tagName === 'template') templates = Math.max(0, templates - 1);
        endText();
      },
      onEof: endText,
      onCharacter: onText,
      onWhitespaceCharacter: onText,
      onNullCharacter() {},
      onComment() {},
      onDoctype() {},
    },
  );
  tokenizer.write(html, true);
  return page;
}

const hasClass = (attributes: Attributes, name: string) => attributes['class']?.split(/\s+/).includes(name) ?? false;

/** The tool that writes such an element. */
function toolOf(attributes: Attributes): Tool | undefined {
  if (attributes['id'] === 'impress') return 'impress.js';
  if ('data-bespoke-marp-osc' in attributes) return 'Marp';
  return (attributes['property'] ?? attributes['name']) === 'slidev:version' ? 'Slidev' : undefined;
}

/** Reads the text of an element that holds addresses. */
function readerOf(name: string, { type }: Attributes): typeof cssReferences | undefined {
  if (name === 'style') return cssReferences;
  return name === 'script' && type?.trim().toLowerCase() === 'importmap' ? importMapReferences : undefined;
}

function elementReferences(name: string, attributes: Attributes, line: number): Reference[] {
  const { rel = '', style } = attributes;
  const isFetched = name === 'link' && FETCHED_LINKS.test(rel);
  const addresses = [
    ...(addressAttributes[name] ?? []).map((attribute) => attributes[attribute]),
    ...(name === 'input' && attributes['type']?.toLowerCase() === 'image' ? [attributes['src']] : []),
    ...(name === 'img' || name === 'source' ? srcsetAddresses(attributes['srcset']) : []),
    ...(isFetched ? [attributes['href'], ...srcsetAddresses(attributes['imagesrcset'])] : []),
  ];
  const kind = kindOf(name, attributes);
  const references = addresses
    .filter((address) => address !== undefined)
    .map((address) => ({ address, line, kind }) as const);
  return [...references, ...styleReferences(style, line)];
}

function kindOf(name: string, { rel = '', type = '' }: Attributes): Reference['kind'] {
  if (name === 'link' && /(^|\s)stylesheet(\s|$)/i.test(rel)) return 'stylesheet';
  if (name === 'script' && type.trim().toLowerCase() === 'module') return 'module';
  return DOCUMENTS.has(name) ? 'document' : 'file';
}

const styleReferences = (style: string | undefined, line: number): Reference[] =>
  style?.includes('(') ? cssReferences(style).map((reference) => ({ ...reference, line })) : [];

/** The addresses of `srcset`: `a.png 1x, b.png 2x`. A comma inside an address belongs to it. */
function srcsetAddresses(srcset = ''): string[] {
  const addresses: string[] = [];
  let isDescriptor = false;
  for (const word of srcset.split(/\s+/)) {
    const comma = word.indexOf(',');
    if (isDescriptor && comma < 0) continue;
    let address: string = isDescriptor ? word.slice(comma + 1) : word;
    isDescriptor = !address.endsWith(',');
    while (address.startsWith(',')) address = address.slice(1);
    while (address.endsWith(',')) address = address.slice(0, -1);
    if (address === '') isDescriptor = false;
    else addresses.push(address);
  }
  return addresses;
}

/** The values of an import map. Browsers ignore those that are not addresses. */
function importMapReferences(text: string, line = 1): Reference[] {
  const { imports, scopes } = readImportMap(text);
  return [imports, ...valuesOf(scopes)]
    .flatMap(valuesOf)
    .filter((value) => typeof value === 'string')
    .filter((address) => /^\.{0,2}\//.test(address))
    .map((address) => ({ address, line, kind: address.endsWith('/') ? 'folder' : 'file' }));
}

const valuesOf = (map: unknown): unknown[] => (typeof map === 'object' && map !== null ? Object.values(map) : []);

function readImportMap(text: string): { imports?: unknown; scopes?: unknown } {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}
