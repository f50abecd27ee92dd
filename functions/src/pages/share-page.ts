import { sandboxFlags } from '../policy/sandbox';
import { escapeHtml } from '../values/escape-html';
import { inlineHash } from './inline-hash';
import { palette } from './palette';

// The page behind the deck is white, as an empty browser window is. A deck that sets no colours looks as it does
// without the frame.
const style = `${palette}
html, body { margin: 0; height: 100%; }
body.deck { color-scheme: only light; background: #fff; overflow: hidden; }
iframe { display: block; width: 100%; height: 100vh; height: 100dvh; border: 0; }
body.notice { display: grid; place-items: center; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
main { max-width: 28rem; padding: 2rem; text-align: center; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.3; text-wrap: balance; }
p { margin: 0; color: var(--quiet); text-wrap: pretty; }
`;

// Gives the deck the keyboard focus at once, and again when the viewer returns from another window or tab. The frame
// loses the focus when the deck's document replaces the empty one. No event tells when, so the script gives the focus
// every 100 ms until the frame has loaded.
const script = `
const frame = document.querySelector('iframe');
const give = () => frame.contentWindow.focus();
const giving = setInterval(give, 100);
frame.addEventListener('load', () => { clearInterval(giving); give(); });
addEventListener('focus', () => setTimeout(give));
`;

/** The Content-Security-Policy of the pages: they load only the frame, and the style and script of the page itself. */
export function sharePagePolicy(functionsOrigin: string): string {
  return [
    `default-src 'none'`,
    // A link of the deck without a target opens inside the frame, so the frame may load every HTTPS page.
    `frame-src ${functionsOrigin} https:`,
    // The empty icon.
    `img-src data:`,
    `style-src ${inlineHash(style)}`,
    `script-src ${inlineHash(script)}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<meta property="og:title" content="${escapeHtml(title)}">
<meta property="og:type" content="website">
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
${body}
</html>
`;
}

/**
 * The page with a deck in a frame. The frame repeats the sandbox of the deck's answers; each of the two is sufficient.
 */
export function deckPage(title: string, deckUrl: string): string {
  return page(
    title,
    `<body class="deck">
<iframe src="${escapeHtml(deckUrl)}" title="${escapeHtml(title)}" sandbox="${sandboxFlags}" allow="fullscreen; autoplay; clipboard-write" referrerpolicy="no-referrer"></iframe>
<script>${script}</script>
</body>`,
  );
}

/** The page of a link that does not open a deck. */
export function noticePage(heading: string, text: string): string {
  return page(
    heading,
    `<body class="notice">
<main>
<h1>${escapeHtml(heading)}</h1>
<p>${escapeHtml(text)}</p>
</main>
</body>`,
  );
}
