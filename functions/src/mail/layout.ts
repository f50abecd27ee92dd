import { config } from '../config';
import { colours, name } from '../house/house.cjs';
import { inkOn } from '../values/contrast';
import { markup, type Markup } from '../values/markup';

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

// Mail programs know no variables.
const { light, dark } = colours;
const { ink: INK, quiet: SOFT, line: EDGE, edge: FIRM_EDGE, paper: PAPER } = light;

/** The colour of the mails whose organization has none. */
export const ACCENT = light.accent;

/** The parts follow each other with the separator between them. */
const joined = (parts: readonly (Markup | string)[], separator: Markup | string) =>
  parts.map((part, i) => (i === 0 ? part : [separator, part]));

/** The lines of a text with `<br>` between them. */
const linesOf = (text: string) => joined(text.split(/\r\n?|\n/), markup`<br>\n`);

export const heading = (text: string) =>
  markup`<h1 class="ink" style="margin:0 0 8px;font-size:20px;line-height:28px;font-weight:600;color:${INK};overflow-wrap:anywhere">${text}</h1>`;

export const paragraph = (text: string) => markup`<p style="margin:0 0 20px;overflow-wrap:anywhere">${text}</p>`;

/** A text of a user. Line breaks are tags, because some mail programs ignore `white-space`. */
export const quote = (text: string) =>
  markup`<p class="edge" style="margin:0 0 20px;padding:0 0 0 12px;border-left:3px solid ${EDGE};overflow-wrap:anywhere">${linesOf(text)}</p>`;

export const small = (text: string | readonly Markup[]) =>
  markup`<p class="soft" style="margin:0;font-size:14px;line-height:20px;color:${SOFT};overflow-wrap:anywhere">${text}</p>`;

/** A link within `small`. */
export const smallLink = (label: string, url: string) =>
  markup`<a class="soft" href="${url}" style="color:${SOFT}">${label}</a>`;

/** A line between the content and what follows it. */
export const rule = () =>
  markup`<p class="edge" style="margin:24px 0 16px;border-top:1px solid ${EDGE};font-size:0;line-height:0">&nbsp;</p>`;

/** A link that shows its URL. */
export const address = (url: string) =>
  markup`<p style="margin:4px 0 20px;font-size:14px;line-height:20px;word-break:break-all"><a class="soft" href="${url}" style="color:${SOFT}">${url}</a></p>`;

/** A text to copy, on a coloured ground. */
export const code = (text: string, style: string) =>
  markup`<p class="code" style="margin:0 0 20px;border:1px solid ${EDGE};border-radius:8px;background:${PAPER};font-family:ui-monospace,Menlo,Consolas,monospace;color:${INK};overflow-wrap:anywhere;${style}">${text}</p>`;

/** A large link on a coloured ground (`#rrggbb`). Its edge shows also when the mail has nearly the same colour. */
export const button = (label: string, url: string, ground: string) =>
  markup`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 20px"><tr><td class="edge" style="border-radius:8px;background:${ground};border:1px solid ${FIRM_EDGE}"><a href="${url}" style="display:inline-block;padding:12px 24px;font-weight:600;color:${inkOn(ground)};text-decoration:none">${label}</a></td></tr></table>`;

/** A part of the mark. The mark is drawn by cells, because many mail programs block pictures and drop SVG. */
const bar = (width: number, height: number, radius = '0') =>
  markup`<td style="padding:0 1px 0 0;vertical-align:middle"><div class="mark" style="width:${width}px;height:${height}px;border-radius:${radius};background:${ACCENT};font-size:0;line-height:0">&nbsp;</div></td>`;

/** The mark and the name, above the content. */
const head =
  () => markup`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 auto"><tr>
${bar(2, 6)}${bar(2, 10)}${bar(9, 14, '0 7px 7px 0')}<td class="ink" style="padding:0 0 0 7px;${FONT};font-size:16px;line-height:24px;font-weight:600;color:${INK}">${name}</td>
</tr></table>`;

/** The end of the text of a mail: who sent it. The HTML of a mail says the same. */
export const signature = () => `${name}\n${config.viewerUrl()}\n`;

/**
 * The HTML of a mail, in light and dark colours. It uses tables and inline styles, because mail programs support little
 * else. `brand` (`#rrggbb`) is the colour of a stripe along the upper edge.
 */
export function mailHtml(title: string, parts: readonly Markup[], brand?: string): string {
  const site = config.viewerUrl();
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: ${dark.paper} !important; }
  .card { background: ${dark.card} !important; border-color: ${dark.line} !important; }
  .ink { color: ${dark.ink} !important; }
  .soft { color: ${dark.quiet} !important; }
  .mark { background: ${dark.accent} !important; }
  .edge { border-color: ${dark.edge} !important; }
  .code { background: ${dark.paper} !important; color: ${dark.ink} !important; border-color: ${dark.line} !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:${PAPER}">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${PAPER}">
<tr><td align="center" style="padding:28px 16px 20px">${head()}</td></tr>
<tr><td align="center" style="padding:0 16px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:480px;background:${light.card};border:1px solid ${EDGE};border-radius:10px;overflow:hidden">
${
  brand &&
  markup`<tr><td style="height:6px;line-height:6px;font-size:0;background:${brand};border-radius:9px 9px 0 0">&nbsp;</td></tr>
`
}<tr><td class="ink" style="padding:32px;${FONT};font-size:16px;line-height:24px;color:${INK};text-align:left">
${joined(parts, '\n')}
</td></tr>
</table>
</td></tr>
<tr><td class="soft" align="center" style="padding:20px 16px 32px;${FONT};font-size:14px;line-height:20px;color:${SOFT}">${name} · ${smallLink(new URL(site).host, site)}</td></tr>
</table>
</body>
</html>
`.text;
}
