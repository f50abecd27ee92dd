import { colours, sizes } from './tokens.json';

/** A style sheet without the white space that a browser does not need: the functions send it with each page. */
export const compact = (css: string) =>
  css
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};]) ?/g, '$1')
    .replaceAll(';}', '}')
    .trim();

const declarations = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([each, value]) => `--${each}: ${value};`)
    .join(' ');

/** The variables of all style sheets, in both schemes. */
export const houseCss = `:root { color-scheme: light dark; ${declarations({ ...colours.light, ...sizes })} }
@media (prefers-color-scheme: dark) { :root { ${declarations(colours.dark)} } }
`;

/** The style of the header and the footer. A page sets `--wide` where its text is narrower or wider than 72rem. */
export const frameCss = compact(`
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
export const commandsCss = compact(`
.commands { border-radius: var(--radius); background: var(--code); color: var(--code-ink); }
.commands > div { display: flex; gap: var(--space-3); align-items: center; justify-content: space-between; min-height: 2.75rem;
  padding-inline: 1.25rem .6rem; font-size: .85rem; }
.commands button { min-height: 2rem; padding: .2rem .8rem; border: 1px solid currentColor; border-radius: var(--radius); background: none;
  color: inherit; font: inherit; font-size: .85rem; font-weight: 500; cursor: pointer; }
.commands pre { margin: 0; padding-top: 0; }
`);
