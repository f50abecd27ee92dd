import { raw } from '../house/attributes';
import { inlineHash, renderPage } from '../house/render';
import { DeckFrame, deckFrameScript } from './deck-frame';
import { PreviewMetadata, type PreviewPicture } from './preview-metadata';

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
  /** The picture for previews of the link. */
  picture?: PreviewPicture | undefined;
}

/** What the page of an open link shows. */
export interface SharedDeck extends Metadata {
  /** The address of the deck's entry, for the frame. */
  deckUrl: string;
  /** Where the deck tells what its reader sees: see `DeckFrame`. */
  seen: { url: string; ticket: string };
  /** The ticket of the live session. */
  live?: string | undefined;
}

/** The page with the deck in a frame. */
export const deckPage = ({ deckUrl, title, description, picture, seen, live }: SharedDeck) =>
  renderPage(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="robots" content="noindex, nofollow" />
        <title>{title}</title>
        <meta property="og:title" content={title} />
        <meta property="og:type" content="website" />
        {description !== undefined && (
          <>
            <meta name="description" content={description} />
            <meta property="og:description" content={description} />
          </>
        )}
        <PreviewMetadata picture={picture} />
        <link rel="icon" href="data:," />
        <style {...raw(style)} />
      </head>
      <body>
        <DeckFrame deckUrl={deckUrl} title={title} seen={seen} live={live} />
      </body>
    </html>,
  );
