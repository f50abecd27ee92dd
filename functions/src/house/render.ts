import { createHash } from 'node:crypto';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** The text of a page. Texts and the values of attributes are escaped. */
// eslint-disable-next-line no-restricted-syntax -- The doctype is not an element.
export const renderPage = (page: VNode) => `<!doctype html>${renderToString(page)}`;

/** The text of an element. */
export const renderElement = (element: VNode) => renderToString(element);

/** The source expression of a Content-Security-Policy that allows exactly this inline style or script. */
export const inlineHash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
