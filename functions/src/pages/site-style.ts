import { browseStyle } from './browse-style';
import { palette } from './palette';

/** The style sheet of the marketplace's pages. */
export const siteStyle = `${palette}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 16px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
body > * { max-width: 72rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2rem); }
a { color: inherit; text-underline-offset: .2em; }
a:hover { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
h1 { margin: 0 0 .5rem; font-size: clamp(1.8rem, 5vw, 2.6rem); line-height: 1.15; letter-spacing: -.02em; text-wrap: balance; }
h2 { margin: 0 0 .75rem; font-size: 1.25rem; line-height: 1.3; text-wrap: balance; }
ul, ol { margin: 0; padding: 0; list-style: none; }
p, dl, dd, pre { margin: 0; }
.quiet, dt { color: var(--quiet); }
.lead { max-width: 44rem; margin-inline: 0 auto; color: var(--quiet); font-size: 1.1rem; white-space: pre-line; text-wrap: pretty; }

.site { display: flex; gap: 1.5rem; align-items: baseline; padding-block: 1rem; }
.site a { padding-block: .25rem; text-decoration: none; }
.site a:first-child { font-weight: 700; }
main { padding-block: clamp(1rem, 4vw, 2.5rem) 4rem; }
.notice { padding-block: clamp(2rem, 12vh, 7rem) 4rem; }
.notice > * { max-width: 40rem; }
.notice > * + * { margin-top: 1rem; }
.notice > section { margin-top: 2.5rem; }

.choices, .words { display: flex; flex-wrap: wrap; gap: .5rem; }
.bar { display: flex; flex-wrap: wrap; gap: .75rem 1.75rem; align-items: center; }
.lead + .bar { margin-top: 1.5rem; }
.bar + .choices { margin-top: 1rem; }
.choices a, .words a, .words span, summary, button, .button { display: inline-block; padding: .3rem .8rem; border: 1px solid var(--line);
  border-radius: 2rem; background: var(--card); color: inherit; font: inherit; font-size: .95rem; text-decoration: none; }
.choices a[aria-current], button, .button { border-color: var(--ink); background: var(--ink); color: var(--paper); }
.words a, .words span { max-width: 100%; padding: .1rem .65rem; font-size: .85rem; }
.words span { border-color: transparent; background: none; padding-inline: .2rem; }
.choices a:hover, .words a:hover, summary:hover { border-color: var(--accent); }
button, .button { padding: .45rem 1.1rem; cursor: pointer; }
button.plain { border-color: var(--edge); background: var(--card); color: inherit; }
.choices form { margin: 0; }
p + .choices { margin-top: 1rem; }
button:hover, .button:hover { border-color: var(--accent); background: var(--accent); color: var(--paper); }
@media (forced-colors: active) { .choices a[aria-current] { border-width: 3px; } }
.chosen a { border-color: var(--accent); }

details { margin-top: 1rem; }
summary { width: fit-content; cursor: pointer; }
summary::before { content: '▸ '; content: '▸ ' / ''; }
details[open] > summary::before { content: '▾ '; content: '▾ ' / ''; }
form { display: flex; flex-wrap: wrap; gap: 1rem; align-items: end; margin-top: 1rem; }
label { display: grid; flex: 1 1 11rem; gap: .25rem; color: var(--quiet); font-size: .9rem; }
input, select, textarea { width: 100%; min-height: 2.6rem; padding: .4rem .7rem; border: 1px solid var(--edge); border-radius: 8px;
  background: var(--card); color: var(--ink); font: inherit; }
label.whole { flex-basis: 100%; }

.list { margin-top: 2rem; }
.short { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; overflow: hidden; }
.meta, .counts { color: var(--quiet); font-size: .9rem; }
main > .meta { margin-bottom: .4rem; }
.more { margin-top: 2rem; }

.frame { margin: 1.5rem 0 1rem; border: 1px solid var(--line); border-radius: 12px; overflow: hidden; }
iframe { display: block; width: 100%; aspect-ratio: 16 / 9; min-height: 15rem; border: 0; background: #fff; color-scheme: only light; }
.about { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 2.5rem; margin-top: 2.5rem; }
.about > *, section > * + * { min-width: 0; }
section + section { margin-top: 2.5rem; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .4rem 1.5rem; align-items: baseline; }
@media (max-width: 30rem) { dl { grid-template-columns: minmax(0, 1fr); gap: .1rem; } dd { margin-bottom: .7rem; } }
.report { max-width: 40rem; margin-top: 3rem; }
code { overflow-wrap: anywhere; }
pre { margin-top: .75rem; padding: 1rem 1.25rem; overflow-x: auto; border-radius: 12px; background: var(--code); color: var(--code-ink);
  overflow-wrap: normal; font: 14px/1.7 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
${browseStyle}`;
