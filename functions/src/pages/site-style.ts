import { compact } from '../house/style';
import { baseStyle } from './base-style';
import { browseStyle } from './browse-style';

/** The style sheet of the marketplace's pages. */
export const siteStyle = compact(`${baseStyle}
dt { color: var(--quiet); }
.house bdi { max-width: 9rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
@media (max-width: 30rem) { .house bdi { max-width: 4.75rem; } }
.lead { max-width: 44rem; margin-inline: 0 auto; color: var(--quiet); font-size: 1.1rem; white-space: pre-line; text-wrap: pretty; }

.bar { display: flex; flex-wrap: wrap; gap: .75rem 1.75rem; align-items: center; }
.lead + .bar { margin-top: 1.5rem; }
.bar + .choices { margin-top: 1rem; }
.choices a, summary { display: inline-block; padding: .3rem .8rem; border: 1px solid var(--line);
  border-radius: 2rem; background: var(--card); color: inherit; font-size: .95rem; text-decoration: none; }
.choices a[aria-current] { border-color: var(--ink); background: var(--ink); color: var(--paper); }
.choices a:hover, summary:hover { border-color: var(--accent); }
@media (forced-colors: active) { .choices a[aria-current] { border-width: 3px; } }
.chosen a { border-color: var(--accent); }

details { margin-top: 1rem; }
summary { width: fit-content; cursor: pointer; }
summary::before { content: '▸ '; content: '▸ ' / ''; }
details[open] > summary::before { content: '▾ '; content: '▾ ' / ''; }
form { display: flex; flex-wrap: wrap; gap: 1rem; align-items: end; margin-top: 1rem; }
label { display: grid; flex: 1 1 11rem; gap: .25rem; color: var(--quiet); font-size: .9rem; }
input, select, textarea { width: 100%; min-height: 2.6rem; padding: .4rem .7rem; border: 1px solid var(--edge); border-radius: var(--radius);
  background: var(--card); color: var(--ink); font: inherit; }
label.whole { flex-basis: 100%; }

.list { margin-top: 2rem; }
.meta, .counts { color: var(--quiet); font-size: .9rem; }
main > .meta { margin-bottom: .4rem; }
.more { margin-top: 2rem; }

.frame { margin: 1.5rem 0 1rem; border: 1px solid var(--line); border-radius: var(--radius); overflow: hidden; }
iframe { display: block; width: 100%; aspect-ratio: 16 / 9; min-height: 15rem; border: 0; background: #fff; color-scheme: only light; }
.about { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 2.5rem; margin-top: 2.5rem; }
.about > *, section > * + * { min-width: 0; }
section + section { margin-top: 2.5rem; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .4rem 1.5rem; align-items: baseline; }
@media (max-width: 30rem) { dl { grid-template-columns: minmax(0, 1fr); gap: .1rem; } dd { margin-bottom: .7rem; } }
.report { max-width: 40rem; margin-top: 3rem; }
code { overflow-wrap: anywhere; }
pre { margin-top: .75rem; padding: 1rem 1.25rem; overflow-x: auto; border-radius: var(--radius); background: var(--code); color: var(--code-ink);
  overflow-wrap: normal; font: 14px/1.7 var(--mono); }
${browseStyle}`);
