/** A host that no address names. */
const ORIGIN = 'http://deck.invalid';
/** Stands for the long address below which a service without deck origins shows a deck. */
const FOLDER = '/_deck-folder/';

/** A file of the deck as a browser sees it: with the base of its addresses on each form of the service. */
export interface BaseAddresses {
  /** On an origin of the deck's own. */
  onOrigin: URL;
  /** Below a folder of an origin that the deck shares. */
  inFolder: URL;
}

/** Where an address leads. */
export interface Target {
  /** The path in the deck, when the deck has an origin of its own. */
  path: string;
  /** Whether the address leads out of the deck, when the deck lies below a folder. */
  leavesFolder: boolean;
}

/** The bases of a file. `base` is the address of its `<base href>`. */
export function basesOf(path: string, base?: string): BaseAddresses {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const own = { onOrigin: new URL(`${ORIGIN}/${encoded}`), inFolder: new URL(`${ORIGIN}${FOLDER}${encoded}`) };
  if (base === undefined) return own;
  const [onOrigin, inFolder] = [parse(base, own.onOrigin), parse(base, own.inFolder)];
  return onOrigin && inFolder ? { onOrigin, inFolder } : own;
}

/**
 * Undefined for an address that asks for no file of the deck: one of another site, `data:`, a fragment, a placeholder
 * of a template, and one that no file can have.
 */
export function targetOf(address: string, { onOrigin, inFolder }: BaseAddresses): Target | undefined {
  const written = address.trim();
  if (written === '' || written.startsWith('#') || isPlaceholder(written)) return undefined;
  const [url, below] = [parse(written, onOrigin), parse(written, inFolder)];
  if (url?.origin !== ORIGIN || !below) return undefined;
  const path = decode(url.pathname.slice(1))?.normalize('NFC');
  // The service has addresses of its own on the deck's origin.
  if (!path || /^_(open|deck)\//.test(path)) return undefined;
  return { path, leavesFolder: !below.pathname.startsWith(FOLDER) };
}

/** `{{ logo }}`, `${logo}`, `<%= logo %>`, `{% static 'logo' %}`, `[[ logo ]]`, and text that is not valid UTF-8. */
const isPlaceholder = (address: string) => /\{\{|\$\{|<%|\{%|\[\[|\uFFFD/.test(address);

const parse = (address: string, base: URL) => (URL.canParse(address, base.href) ? new URL(address, base) : undefined);

/** Undefined for `%PUBLIC_URL%/a.png`, which is a placeholder too, and for an encoded slash, which no path can hold. */
function decode(pathname: string): string | undefined {
  if (/%2f/i.test(pathname)) return undefined;
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}
