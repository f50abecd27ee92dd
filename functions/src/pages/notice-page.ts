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

/** What is wrong, and what the reader can do. */
interface Notice {
  heading: string;
  text: string;
}

const notices: Record<string, Notice | undefined> = {
  'not-found': {
    heading: 'This link does not open a presentation',
    text: 'The link may be mistyped or incomplete. Ask the sender for the whole link.',
  },
  revoked: {
    heading: 'This link was revoked',
    text: 'The owner of the presentation revoked it. Ask the owner for a new link.',
  },
  expired: {
    heading: 'This presentation has expired',
    text: 'The owner shared it for a limited time. Ask the owner for more time.',
  },
  'method-not-allowed': { heading: 'This page can only be read', text: 'Open its address in a browser.' },
  internal: { heading: 'Something went wrong', text: 'The error is on our side. Try again in a minute.' },
};

/** The words for an error, for a person who opened a link. An error without an entry has those of the API. */
export const noticeOf = ({ code, message, nextAction }: { code: string; message: string; nextAction: string }) =>
  notices[code] ?? { heading: message, text: nextAction };

/** The page in place of a deck that cannot be shown: at its share link, and on its origin. */
export const noticePage = {
  policy: `default-src 'none'; style-src ${inlineHash(style)}; img-src data:; base-uri 'none'; form-action 'none'`,
  html: ({ heading, text }: Notice) =>
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
