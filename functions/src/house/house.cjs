// The look and the words that all pages and mails share. The functions import this file; web/site/house.mjs hands it to
// the builds of the site. The values stand in tokens.json.
const { cardCss } = require('./cards.cjs');
const { name, mark, colours, sizes, links } = require('./tokens.json');

const declarations = (values) =>
  Object.entries(values)
    .map(([each, value]) => `--${each}: ${value};`)
    .join(' ');

/** A style sheet without the white space that a browser does not need: the functions send it with each page. */
const compact = (css) =>
  css
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};]) ?/g, '$1')
    .replaceAll(';}', '}')
    .trim();

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** The variables of all style sheets, in both schemes. */
function houseCss() {
  return `:root { color-scheme: light dark; ${declarations({ ...colours.light, ...sizes })} }
@media (prefers-color-scheme: dark) { :root { ${declarations(colours.dark)} } }
`;
}

/** The mark as an svg element in the colour of the text around it. */
const markSvg = () =>
  `<svg class="mark" viewBox="${mark.box}" width="20" height="20" aria-hidden="true"><path fill="currentColor" d="${mark.path}"></path></svg>`;

/** The mark as a file, in the accent of the reader's scheme. */
const faviconSvg = () =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${mark.box}"><style>path{fill:${colours.light.accent}}@media(prefers-color-scheme:dark){path{fill:${colours.dark.accent}}}</style><path d="${mark.path}"/></svg>\n`;

/**
 * The style of the header and the footer. A page sets `--wide` where its text is narrower or wider than
 * 72rem.
 */
const frameCss = compact(`
.house { display: flex; flex-wrap: wrap; align-items: center; gap: 0 var(--space-5);
  padding: var(--space-2) max(clamp(1rem, 4vw, 2rem), (100% - var(--wide, 72rem)) / 2 + 2rem); }
.house a { display: inline-flex; align-items: center; min-height: 2.75rem; color: inherit; text-decoration: none; }
.house a:hover { color: var(--accent); }
.house nav { display: flex; flex-wrap: wrap; gap: 0 var(--space-5); font-size: .9375rem; }
.house .name { gap: .55rem; font-weight: 650; letter-spacing: -.01em; }
.house .mark { color: var(--accent); }
header.house { border-bottom: 1px solid var(--line); }
header.house nav { flex: 1; }
header.house nav a:last-child { margin-inline-start: auto; }
header.house nav a[aria-current] { box-shadow: inset 0 -2px var(--accent); }
footer.house { justify-content: space-between; border-top: 1px solid var(--line); color: var(--quiet);
  padding-block: var(--space-5); }
@media (max-width: 30rem) { .house, .house nav { gap: 0 .8rem; } .house nav { font-size: var(--text-small); } }
`);

/** The style of commands to copy, whose button stands above them. */
const commandsCss = compact(`
.commands { border-radius: var(--radius); background: var(--code); color: var(--code-ink); }
.commands > div { display: flex; gap: var(--space-3); align-items: center; justify-content: space-between; min-height: 2.75rem;
  padding-inline: 1.25rem .6rem; font-size: .85rem; }
.commands button { min-height: 2rem; padding: .2rem .8rem; border: 1px solid currentColor; border-radius: var(--radius); background: none;
  color: inherit; font: inherit; font-size: .85rem; font-weight: 500; cursor: pointer; }
.commands pre { margin: 0; padding-top: 0; }
`);

/** The page at `path`, its forms with a query, and the pages below it are marked. */
const isCurrent = (path, current = '') => {
  if (path === current) return ' aria-current="page"';
  return ['/', '?'].some((next) => current.startsWith(path + next)) ? ' aria-current="true"' : '';
};

const list = (site, each, current) =>
  each.map(({ text, path }) => `<a href="${escape(site + path)}"${isCurrent(path, current)}>${text}</a>`).join('');

/** The header of all pages. `site` is the address of the site without a slash, or '' on its own pages. */
const headerHtml = (site, current) =>
  `<header class="house"><a class="name" href="${escape(site)}/">${markSvg()}${name}</a><nav aria-label="Site">${list(site, links.header, current)}</nav></header>`;

/** The footer of all pages. */
const footerHtml = (site) =>
  `<footer class="house"><a class="name" href="${escape(site)}/">${name}</a><nav aria-label="More">${list(site, links.footer)}</nav></footer>`;

module.exports = {
  name,
  mark,
  colours,
  links,
  compact,
  houseCss,
  frameCss,
  commandsCss,
  cardCss: compact(cardCss),
  markSvg,
  faviconSvg,
  headerHtml,
  footerHtml,
};
