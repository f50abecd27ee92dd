import { markup, trusted } from '../values/markup';
import { inlineHash } from './inline-hash';
import { palette } from './palette';

const style = `${palette}
body { display: grid; place-items: center; min-height: 100vh; margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
p { margin: 0; padding: 1.5rem; text-align: center; text-wrap: balance; }
`;

/** The page of the viewer's errors: one sentence, in light and dark colours. */
export const errorPage = {
  policy: `default-src 'none'; style-src ${inlineHash(style)}; sandbox`,
  html: (message: string) =>
    markup`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${message}</title><style>${trusted(style)}</style></head><body><p>${message}</p></body></html>`
      .text,
};
