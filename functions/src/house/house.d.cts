type Colour =
  | ('paper' | 'ink' | 'quiet' | 'accent' | 'card' | 'line' | 'edge' | 'code' | 'code-ink')
  | ('good' | 'bad' | 'focus' | 'shadow');

interface Link {
  text: string;
  /** The path on the site, with its first slash. */
  path: string;
}

/** The name of the product. */
export const name: string;
/** The mark as the data of an SVG path, and its view box. */
export const mark: { box: string; path: string };
/** The colours (`#rrggbb`) and the shadow by their names, in both schemes. */
export const colours: Record<'light' | 'dark', Record<Colour, string>>;
/** The links of the header and of the footer, in their order. */
export const links: { header: Link[]; footer: Link[] };
/** A style sheet without the white space that a browser does not need. */
export function compact(css: string): string;
/** The variables of all style sheets, in both schemes. */
export function houseCss(): string;
/** The style of the header and the footer, on one line. */
export const frameCss: string;
/** The style of commands to copy, whose button stands above them, on one line. */
export const commandsCss: string;
/** The style of cards of listings, of drawn pictures and of lists of words, on one line. */
export const cardCss: string;
/** The mark as an svg element in the colour of the text around it. */
export function markSvg(): string;
/** The mark as a file, in the accent of the reader's scheme. */
export function faviconSvg(): string;
/** The header of all pages. `site` is the address of the site without a slash; `current` the path of a link. */
export function headerHtml(site: string, current?: string): string;
/** The footer of all pages. */
export function footerHtml(site: string): string;
