import { inkOn } from '../values/contrast';
import { escapeHtml } from '../values/escape-html';

const INK = '#1b1f27';
const SOFT = '#5d6675';
const EDGE = '#e2e5ea';
const FIRM_EDGE = '#bcc3cf';

// The parts of a mail. Each takes plain text and returns HTML.

export const heading = (text: string) =>
  `<h1 class="ink" style="margin:0 0 8px;font-size:20px;line-height:28px;font-weight:600;color:${INK};overflow-wrap:anywhere">${escapeHtml(text)}</h1>`;

export const paragraph = (text: string) => `<p style="margin:0 0 20px;overflow-wrap:anywhere">${escapeHtml(text)}</p>`;

/** The sender's message. Line breaks become tags, because not every mail program supports `white-space`. */
export const quote = (text: string) =>
  `<p class="edge" style="margin:0 0 20px;padding:0 0 0 12px;border-left:3px solid ${EDGE};overflow-wrap:anywhere">${escapeHtml(text).replace(/\r\n?|\n/g, '<br>\n')}</p>`;

export const small = (text: string) =>
  `<p class="soft" style="margin:0;font-size:14px;line-height:20px;color:${SOFT};overflow-wrap:anywhere">${escapeHtml(text)}</p>`;

/** A link whose text is its URL. */
export const address = (url: string) =>
  `<p style="margin:4px 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a class="soft" href="${escapeHtml(url)}" style="color:${SOFT}">${escapeHtml(url)}</a></p>`;

/** Text that the reader copies, in a box. */
export const code = (text: string, style: string) =>
  `<p class="code" style="margin:0 0 20px;border:1px solid ${EDGE};border-radius:8px;background:#f8f9fb;font-family:ui-monospace,Menlo,Consolas,monospace;color:${INK};overflow-wrap:anywhere;${style}">${escapeHtml(text)}</p>`;

/**
 * A link as a button of the colour `ground` (`#rrggbb`). The border shows it on a background of a similar colour, too.
 */
export const button = (label: string, url: string, ground: string) =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 20px"><tr><td class="edge" style="border-radius:8px;background:${ground};border:1px solid ${FIRM_EDGE}"><a href="${escapeHtml(url)}" style="display:inline-block;padding:12px 24px;font-weight:600;color:${inkOn(ground)};text-decoration:none">${escapeHtml(label)}</a></td></tr></table>`;

/**
 * A whole mail around its inner HTML, in light and dark colours. It uses tables and inline styles, because mail
 * programs do not support newer layouts. `brand` (`#rrggbb`) is the colour of a stripe at the upper edge.
 */
export function mailHtml(title: string, inner: string, brand?: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #14161a !important; }
  .card { background: #1e2127 !important; border-color: #343a44 !important; }
  .ink { color: #f2f4f8 !important; }
  .soft { color: #a9b1bf !important; }
  .edge { border-color: #4a5261 !important; }
  .code { background: #14161a !important; color: #f2f4f8 !important; border-color: #343a44 !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f3f4f6">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f3f4f6">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:480px;background:#ffffff;border:1px solid #e2e5ea;border-radius:12px;overflow:hidden">
${
  brand
    ? `<tr><td style="height:6px;line-height:6px;font-size:0;background:${brand};border-radius:11px 11px 0 0">&nbsp;</td></tr>
`
    : ''
}<tr><td class="ink" style="padding:32px;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:24px;color:#1b1f27;text-align:left">
${inner}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}
