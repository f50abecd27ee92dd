import { commandsCss, compact } from '../house/style';
import { siteStyle } from './site-style';

/** The style sheet of the page of a listing. */
export const listingStyle = compact(`${siteStyle}
.intro { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem 2rem; align-items: center; }
.intro > .picture { max-width: 15rem; border: 1px solid var(--line); border-radius: var(--radius); }
@media (min-width: 48rem) { .intro { grid-template-columns: minmax(0, 15rem) minmax(0, 1fr); } }
.bar [aria-pressed] { gap: .4rem; }
.bar [aria-pressed]::before { content: '☆'; content: '☆' / ''; }
.bar [aria-pressed=true]::before { content: '★'; content: '★' / ''; }
.bar .actions { display: flex; flex-wrap: wrap; gap: .6rem; }
button[hidden] { display: none; }
.unseen { visibility: hidden; }
.bar .counts { display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
.bar .counts :empty { display: none; }
.slides { margin-top: 1.5rem; overflow-x: auto; }
.slides ol { display: flex; gap: .75rem; padding-bottom: .5rem; list-style: none; }
.slides li { flex: 0 0 min(15rem, 70vw); }
.slides img { border: 1px solid var(--line); border-radius: var(--radius); object-fit: contain; color: var(--quiet); font-size: .9rem; }
.tree, .tree ul { display: grid; gap: .35rem; }
.tree small { color: var(--quiet); }
.tree ul { margin: .35rem 0 0 .3rem; padding-inline-start: 1rem; border-inline-start: 2px solid var(--line); }
.earlier { margin: .6rem 0; padding-inline-start: .3rem; }
.rows li { padding-block: .4rem; border-bottom: 1px solid var(--line); }
.files li { display: flex; flex-wrap: wrap; gap: .1rem 1.5rem; justify-content: space-between; }
.files span { color: var(--quiet); white-space: nowrap; }
.tree a, .tree strong, .earlier a { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
${commandsCss}
.commands, .commands + p { margin-top: .75rem; }
`);
