/** The rules of the page of a listing, beside those of all pages of the site. */
export const listingStyle = `
.intro { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem 2rem; align-items: center; }
.intro .picture { display: block; width: 100%; aspect-ratio: 16 / 9; object-fit: cover; border: 1px solid var(--line);
  border-radius: 12px; background: var(--card); }
@media (min-width: 48rem) { .intro.pictured { grid-template-columns: minmax(0, 15rem) minmax(0, 1fr); } }
.bar [aria-pressed]::before { content: '☆ '; content: '☆ ' / ''; }
.bar [aria-pressed=true]::before { content: '★ '; content: '★ ' / ''; }
.bar .actions { display: flex; flex-wrap: wrap; gap: .6rem; }
.bar .actions [hidden] { display: none; }
.button.plain { border-color: var(--edge); background: var(--card); color: inherit; }
.button.plain:hover, button.plain:hover { border-color: var(--accent); background: var(--card); color: var(--accent); }
.bar .counts { display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
[role=status]:empty, .bar .counts :empty { display: none; }
.tree, .tree ul { display: grid; gap: .35rem; }
.tree ul { margin: .35rem 0 0 .3rem; padding-inline-start: 1rem; border-inline-start: 2px solid var(--line); }
.earlier { margin: .6rem 0; padding-inline-start: .3rem; }
.rows li { padding-block: .4rem; border-bottom: 1px solid var(--line); }
.files li { display: flex; flex-wrap: wrap; gap: .1rem 1.5rem; justify-content: space-between; }
.files span { color: var(--quiet); white-space: nowrap; }
.commands { position: relative; }
.commands button { position: absolute; inset: .6rem .6rem auto auto; padding: .2rem .8rem; font-size: .85rem; }
`;
