import { cardCss } from '../house/card-style';

/** The style of cards, and of the lists of the marketplace. */
export const browseStyle = `
.find { display: flex; flex-wrap: nowrap; gap: .5rem; align-items: stretch; max-width: 44rem; margin-top: 1.5rem; }
.find label { flex: 1 1 auto; }
.find input { min-height: 3rem; padding-inline: 1rem; font-size: 1.05rem; }
.find button { flex: none; min-height: 3rem; padding-inline: 1.4rem; border-radius: var(--radius); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.sorts { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.sorts a { display: inline-block; padding-block: .4rem; color: var(--quiet); font-size: .95rem; text-decoration: none; }
.sorts a:hover { color: var(--accent); }
.sorts a[aria-current] { color: var(--ink); box-shadow: inset 0 -2px var(--accent); }
.bar.over { justify-content: space-between; margin-top: 1.75rem; padding-bottom: .75rem; border-bottom: 1px solid var(--line); }
.chosen { margin-top: 1rem; }

.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17.5rem), 1fr)); gap: 1.5rem 1.25rem; }

.browse { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 2rem 3rem; margin-top: 3.5rem; }
.browse section + section { margin-top: 0; }
.browse .words a { padding: .3rem .8rem; font-size: .9rem; }
.pages { display: flex; flex-wrap: wrap; gap: .75rem; justify-content: space-between; margin-top: 2.5rem; }
.pages a:only-child[rel=next] { margin-inline-start: auto; }
.empty { display: grid; gap: .75rem; justify-items: start; padding: clamp(1.5rem, 5vw, 3rem); border: 1px dashed var(--edge);
  border-radius: var(--radius); }
.empty strong { font-size: 1.15rem; }
.next { display: flex; flex-wrap: wrap; gap: .75rem; }
.wrong { display: grid; gap: .4rem; margin-block: 1rem 1.5rem; padding: .9rem 1.1rem; border-inline-start: 4px solid var(--bad);
  border-radius: var(--radius); background: var(--card); }
.id { margin-top: 2rem; font-size: var(--text-small); }
${cardCss}`;
