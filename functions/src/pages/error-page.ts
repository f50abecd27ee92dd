import { escapeHtml } from '../policy/escape-html';
import { inlineHash } from './inline-hash';

const style =
  ':root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;font:16px/1.5 system-ui,sans-serif}p{margin:0;padding:1.5rem;text-align:center}';

/** The minimal page of the viewer's errors: a sentence, readable in light and dark. */
export const errorPage = {
  policy: `default-src 'none'; style-src ${inlineHash(style)}; sandbox`,
  html: (message: string) =>
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(message)}</title><style>${style}</style></head><body><p>${escapeHtml(message)}</p></body></html>`,
};
