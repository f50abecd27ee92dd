import { markup, trusted } from '../values/markup';
import { inlineHash } from './inline-hash';
import { palette } from './palette';

const style = `${palette}
body { display: grid; place-items: center; min-height: 100vh; margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
main { max-width: 28rem; padding: 2rem; text-align: center; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.3; text-wrap: balance; }
p { margin: 0; color: var(--quiet); text-wrap: pretty; }
`;

/** The page of an error on the origin of a deck: what is wrong, and what the reader can do. */
export const deckNotice = {
  policy: `default-src 'none'; style-src ${inlineHash(style)}; img-src data:`,
  html: (heading: string, text: string) =>
    markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
<link rel="icon" href="data:,">
<style>${trusted(style)}</style>
</head>
<body>
<main>
<h1>${heading}</h1>
<p>${text}</p>
</main>
</body>
</html>
`.text,
};
