import { frameCss, houseCss } from '../house/style';

/** What the style sheets of all pages have in common: the frame, texts and buttons. */
export const baseStyle = `${houseCss}${frameCss}
* { box-sizing: border-box; }
body { display: flex; flex-direction: column; min-height: 100vh; min-height: 100dvh; margin: 0; background: var(--paper);
  color: var(--ink); font: 16px/1.55 var(--sans); overflow-wrap: anywhere; }
main { flex: 1; width: 100%; max-width: 72rem; margin-inline: auto;
  padding: clamp(1.5rem, 4vw, 2.5rem) clamp(1rem, 4vw, 2rem) 4rem; }
a { color: inherit; text-underline-offset: .2em; }
a:hover { color: var(--accent); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
h1 { margin: 0 0 .5rem; font-size: var(--text-title); line-height: 1.15; letter-spacing: -.02em; text-wrap: balance; }
h2 { margin: 0 0 .75rem; font-size: var(--text-large); line-height: 1.3; letter-spacing: -.01em; text-wrap: balance; }
ul, ol { margin: 0; padding: 0; list-style: none; }
p, dl, dd, pre, form { margin: 0; }
.quiet { color: var(--quiet); text-wrap: pretty; }
.choices { display: flex; flex-wrap: wrap; gap: .5rem; }
p + .choices { margin-top: 1rem; }
button, .button { display: inline-flex; align-items: center; min-height: 2.75rem; padding: .4rem 1.1rem;
  border: 1px solid var(--ink); border-radius: var(--radius); background: var(--ink); color: var(--paper); font: inherit;
  font-size: .95rem; font-weight: 500; text-decoration: none; cursor: pointer; }
button.plain, .button.plain { border-color: var(--edge); background: var(--card); color: inherit; }
button:hover, .button:hover { border-color: var(--accent); background: var(--accent); color: var(--paper); }
`;
