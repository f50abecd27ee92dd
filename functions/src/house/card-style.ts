import { compact } from './style';
import { pictures } from './tokens.json';

/** The colours of a palette as variables: paper, strong colour and text. */
const palettes = (scheme: 'light' | 'dark') =>
  pictures.map(({ [scheme]: [a, c, t] }, i) => `.drawn.p${i} { --a: ${a}; --c: ${c}; --t: ${t}; }`).join('\n');

/** Pictures have the size of a slide before they are loaded. The text of a drawn one grows with its width. */
const pictureCss = `
.picture { display: block; width: 100%; height: auto; aspect-ratio: 16 / 9; object-fit: cover; background: var(--line); }
.drawn { position: relative; overflow: hidden; background: var(--a); color: var(--t); container-type: inline-size; }
.drawn svg { position: absolute; inset: 0; width: 100%; height: 100%; }
.drawn.on-dark { --c: rgb(255 255 255 / 35%); --t: #fff; }
.drawn.on-light { --c: rgb(17 19 24 / 35%); --t: #111318; }
.drawn:is(${pictures.map((_, i) => `.p${i}`).join()}) .a { fill: var(--a); }
.drawn .c { fill: var(--c); }
.drawn span { position: absolute; inset: 9cqi 8cqi auto; display: -webkit-box; overflow: hidden;
  -webkit-box-orient: vertical; -webkit-line-clamp: 4; font-size: clamp(1rem, 7.5cqi, 2.5rem); font-weight: 680; line-height: 1.2;
  letter-spacing: -.015em; overflow-wrap: anywhere; hyphens: auto; }
${palettes('light')}
@media (prefers-color-scheme: dark) {
${palettes('dark')}
}`;

/** The style of cards of listings, of drawn pictures and of lists of words. */
export const cardCss = compact(`
.words { display: flex; flex-wrap: wrap; gap: .5rem; }
.words a, .words span { display: inline-block; max-width: 100%; padding: .1rem .65rem; border: 1px solid var(--line);
  border-radius: 2rem; background: var(--card); color: inherit; font-size: .85rem; text-decoration: none; }
.words a:hover { border-color: var(--accent); }
.words span { border-color: transparent; background: none; padding-inline: .2rem; }
.listing-card { position: relative; display: flex; flex-direction: column; gap: .45rem; padding-bottom: 1rem; overflow: hidden;
  border: 1px solid var(--line); border-radius: var(--radius); background: var(--card); font-weight: 400;
  transition: border-color .15s, box-shadow .15s; }
.listing-card > * { margin-inline: 1rem; }
.listing-card > .picture { width: 100%; margin: 0 0 .45rem; border-bottom: 1px solid var(--line); }
.listing-card:hover { border-color: var(--edge); box-shadow: var(--shadow); }
.listing-card h3, .listing-card .summary { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical;
  -webkit-line-clamp: 2; }
.listing-card h3 { margin-block: 0; font-size: 1.05rem; font-weight: 650; line-height: 1.35; letter-spacing: -.005em; }
.listing-card h3 a { text-decoration: none; }
.listing-card h3 a::after { content: ''; position: absolute; inset: 0; border-radius: var(--radius); }
.listing-card h3 a:focus-visible { outline: none; }
.listing-card h3 a:focus-visible::after { outline: 3px solid var(--focus); outline-offset: -3px; }
.titled :is(h2, h3) a { display: block; min-height: 1px; }
.titled :is(h2, h3) a span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.listing-card .words a, .listing-card .meta a { position: relative; }
.listing-card .kind { position: absolute; inset: .6rem .6rem auto auto; margin: 0; padding: .1rem .6rem; border-radius: 1rem;
  background: var(--card); color: var(--ink); font-size: .8rem; box-shadow: 0 0 0 1px var(--line); }
.listing-card .meta, .listing-card .counts { color: var(--quiet); font-size: .9rem; }
.listing-card .meta a { text-decoration: none; }
.listing-card .meta a:hover { text-decoration: underline; }
.listing-card .summary { font-size: .95rem; }
.listing-card .counts { margin-top: auto; padding-top: .2rem; }
@media (prefers-reduced-motion: reduce) { .listing-card { transition: none; } }
${pictureCss}`);
