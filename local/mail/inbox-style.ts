/** The style of the inbox: two columns on wide screens, one on narrow ones; light or dark like the system. */
export const INBOX_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --surface: #fff; --line: #dfe2e8; --ink: #1b1f27; --quiet: #5b6270;
  --accent: #4338ca; --accent-soft: #ecebfd; --on-accent: #fff; --good: #15803d; --warn: #b45309;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12141a; --surface: #1a1d25; --line: #2e3340; --ink: #e8eaf0; --quiet: #a2a9b8;
    --accent: #a5b4fc; --accent-soft: #262a4a; --on-accent: #14162b; --good: #4ade80; --warn: #fbbf24;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html, body { height: 100%; margin: 0; }
body {
  display: flex; flex-direction: column; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
button, input { font: inherit; color: inherit; }
button {
  min-height: 2.5rem; padding: 0 .9rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--surface); cursor: pointer;
}
button:hover:not(:disabled) { border-color: var(--accent); }
button:disabled { color: var(--quiet); opacity: .7; cursor: default; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); }

.bar {
  display: flex; align-items: center; gap: .75rem; padding: .6rem 1rem;
  background: var(--surface); border-bottom: 1px solid var(--line);
}
.bar h1 { margin: 0; font-size: 1.15rem; }
.status { display: flex; align-items: center; gap: .4rem; margin: 0; color: var(--quiet); font-size: .875rem; white-space: nowrap; }
.status::before { content: ""; width: .55rem; height: .55rem; border-radius: 50%; background: var(--warn); }
.status[data-live]::before { background: var(--good); }
.bar input {
  flex: 1; min-width: 0; max-width: 24rem; min-height: 2.5rem; margin-left: auto; padding: 0 .75rem;
  border: 1px solid var(--line); border-radius: .5rem; background: var(--ground);
}

::placeholder { color: var(--quiet); opacity: 1; }

main { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(17rem, 24rem) 1fr; }
.list { overflow-y: auto; border-right: 1px solid var(--line); background: var(--surface); }
.list ul { list-style: none; margin: 0; padding: 0; }
.list a {
  display: grid; grid-template-columns: 1fr auto; gap: .1rem .75rem; padding: .7rem 1rem; color: inherit;
  text-decoration: none; border-bottom: 1px solid var(--line); border-left: 3px solid transparent;
}
.list a:hover { background: var(--ground); }
.list a:focus-visible { outline-offset: -3px; }
.list a[aria-current] { background: var(--accent-soft); border-left-color: var(--accent); }
.list .who { font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.list .what { color: var(--quiet); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.list time { justify-self: end; align-self: center; color: var(--quiet); font-size: .8125rem; white-space: nowrap; }
.list .what:last-child { grid-column: 1 / -1; }
.list .chip {
  justify-self: end; padding: 0 .45rem; border-radius: .35rem; background: var(--accent-soft); color: var(--accent);
  font: 600 .8125rem/1.5rem ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
.list a[aria-current] .chip { background: var(--surface); }
.blank { max-width: 26rem; margin: 0 auto; padding: 3rem 1.5rem; color: var(--quiet); text-align: center; }
.blank strong { color: var(--ink); }
.blank p { margin: 0 0 .4rem; }

.reader { min-width: 0; min-height: 0; overflow: auto; outline: none; }
article { display: flex; flex-direction: column; min-height: 100%; padding: 1.25rem 1.5rem 1.5rem; }
.back { display: none; }
h2 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.3; overflow-wrap: anywhere; text-wrap: balance; }
.facts { margin: 0 0 1rem; font-size: .9375rem; }
.facts div { display: flex; gap: .6rem; }
.facts dt { flex: 0 0 3rem; color: var(--quiet); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.code {
  display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.25rem; margin-bottom: 1rem; padding: .8rem 1.1rem;
  border-radius: .75rem; background: var(--accent-soft);
}
.digits { font: 700 2.25rem/1.2 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: .14em; color: var(--accent); }
.code button { min-width: 7rem; background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
.views { display: flex; margin-bottom: .75rem; }
.views button { min-height: 2.25rem; }
.views button:first-child { border-radius: .5rem 0 0 .5rem; }
.views button:last-child { border-radius: 0 .5rem .5rem 0; border-left: 0; }
.views button[aria-pressed="true"] { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
iframe, pre { flex: 1; width: 100%; min-height: 20rem; margin: 0; border: 1px solid var(--line); border-radius: .5rem; }
/* Mails assume a white background. */
iframe { color-scheme: light; background: #fff; }
pre {
  padding: 1rem; background: var(--surface); overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere;
  font: .9375rem/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}

@media (max-width: 46rem) {
  .bar { flex-wrap: wrap; gap: .5rem .75rem; }
  .bar .status { flex: 1; }
  .bar input { order: 1; flex-basis: 100%; max-width: none; font-size: 1rem; }
  .wide { display: none; }
  main { display: block; overflow-y: auto; }
  .list { border-right: 0; overflow: visible; min-height: 100%; }
  .reader { display: none; min-height: 100%; }
  main[data-open] .list { display: none; }
  main[data-open] .reader { display: flex; flex-direction: column; }
  article { flex: 1; min-height: 0; padding: .5rem 1rem 1rem; }
  .back { display: inline-block; align-self: start; padding: .5rem .5rem .5rem 0; color: var(--accent); text-decoration: none; font-weight: 600; }
  .digits { font-size: 2rem; }
  iframe, pre { min-height: 24rem; }
}
`;
