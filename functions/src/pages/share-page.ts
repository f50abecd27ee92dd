import { markup, trusted, type Markup } from '../values/markup';
import { deckFrame, deckFrameScript } from './deck-frame';
import { inlineHash } from './inline-hash';

// A deck without a background colour expects the white of a browser window. A deck with a dark colour scheme still gets
// dark.
const style = `
html, body { margin: 0; height: 100%; }
body { color-scheme: only light; background: #fff; overflow: hidden; }
iframe { display: block; width: 100%; height: 100vh; height: 100dvh; border: 0; }
`;

/** The Content-Security-Policy of the page: the frame, and the style and script of the page. */
export function sharePagePolicy(functionsOrigin: string): string {
  return [
    `default-src 'none'`,
    // Links of the deck without a target open in the frame.
    `frame-src ${functionsOrigin} https:`,
    // The empty icon is a data: URL.
    `img-src data:`,
    `style-src ${inlineHash(style)}`,
    `script-src ${deckFrameScript()}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

/** What link previews show. */
interface Metadata {
  title: string;
  description?: string | undefined;
  /** The absolute address of a picture. */
  pictureUrl?: string | undefined;
}

const previewTags = ({
  title,
  description,
  pictureUrl,
}: Metadata) => markup`<meta property="og:title" content="${title}">
<meta property="og:type" content="website">
${
  description !== undefined &&
  markup`<meta name="description" content="${description}">
<meta property="og:description" content="${description}">
`
}${
  pictureUrl !== undefined && markup`<meta property="og:image" content="${pictureUrl}">\n`
}<meta name="twitter:card" content="${pictureUrl === undefined ? 'summary' : 'summary_large_image'}">`;

function page(metadata: Metadata, body: Markup): string {
  const { title } = metadata;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
${previewTags(metadata)}
<link rel="icon" href="data:,">
<style>${trusted(style)}</style>
</head>
${body}
</html>
`.text;
}

/** What the page of an open link shows. */
export interface SharedDeck extends Metadata {
  /** The address of the deck's entry, for the frame. */
  deckUrl: string;
}

/** The page with the deck in a frame. */
export function deckPage({ deckUrl, ...metadata }: SharedDeck): string {
  const { title } = metadata;
  return page(
    metadata,
    markup`<body>
${deckFrame(deckUrl, title)}
</body>`,
  );
}
