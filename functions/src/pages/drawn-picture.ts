import { createHash } from 'node:crypto';
import { markup, type Markup } from '../values/markup';

/**
 * The picture of a listing whose deck has none: its title on a coloured slide with a figure. The slug decides the
 * colours and the figure, so a listing has the same picture on all pages. Its colours are those of `pictureStyle`.
 */
export function drawnPicture({ slug, title }: { slug: string; title: string }): Markup {
  const bytes = createHash('sha256').update(slug).digest();
  const figure = figures[bytes[1]! % figures.length]!;
  const random = [...bytes.subarray(2)].map((byte) => byte / 255);
  return markup`<div class="picture drawn p${bytes[0]! % PALETTES}" aria-hidden="true"><svg viewBox="0 0 320 180" preserveAspectRatio="xMaxYMax slice" focusable="false">${figure(random)}</svg><span dir="auto" lang="">${title}</span></div>`;
}

/** A figure at the right of the slide. `b` is the light colour of the palette, `c` the strong one. */
type Figure = (random: readonly number[]) => Markup;

const round = (value: number) => Math.round(value * 10) / 10;
const range = (random: number, from: number, to: number) => round(from + random * (to - from));
const several = (count: number, each: (i: number) => Markup) => Array.from({ length: count }, (_, i) => each(i));

const circles: Figure = ([x = 0, y = 0, r = 0]) => {
  const cx = range(x, 250, 320);
  const cy = range(y, 90, 180);
  return markup`<circle class="b" cx="${cx}" cy="${cy}" r="${range(r, 80, 105)}"/><circle class="c" cx="${cx + 12}" cy="${cy + 12}" r="${range(r, 46, 62)}"/><circle class="a" cx="${cx + 24}" cy="${cy + 24}" r="${range(r, 16, 24)}"/>`;
};

const bars: Figure = (random) =>
  markup`${several(6, (i) => {
    const height = round(24 + (random[i] ?? 0) * 46 + i * 10);
    return markup`<rect class="${i === 5 ? 'c' : 'b'}" x="${188 + i * 20}" y="${180 - height}" width="14" height="${height}" rx="3"/>`;
  })}`;

const hills: Figure = ([x = 0, y = 0]) => {
  const top = range(x, 60, 100);
  const next = range(y, 96, 130);
  return markup`<path class="b" d="M120 180C190 180 200 ${top} 262 ${top}S320 120 320 120V180z"/><path class="c" d="M170 180C230 180 250 ${next} 290 ${next}S320 140 320 140V180z"/>`;
};

const bands: Figure = ([x = 0]) => {
  const at = range(x, 170, 215);
  return markup`<path class="b" d="M${at} 180L${at + 104} 0h36L${at + 36} 180z"/><path class="c" d="M${at + 52} 180L${at + 156} 0h36L${at + 88} 180z"/>`;
};

const dots: Figure = (random) =>
  markup`${several(24, (i) => {
    const [column, row] = [i % 6, Math.floor(i / 6)];
    return markup`<circle class="${(random[i] ?? 0) > 0.72 ? 'c' : 'b'}" cx="${206 + column * 21}" cy="${96 + row * 22}" r="${range(random[i] ?? 0, 3.5, 8)}"/>`;
  })}`;

const arcs: Figure = ([x = 0]) => {
  const left = range(x, 290, 320);
  return markup`${several(4, (i) => markup`<circle class="${i === 1 ? 'c' : 'b'} line" cx="${left}" cy="180" r="${38 + i * 28}"/>`)}`;
};

const tiles: Figure = (random) =>
  markup`${several(9, (i) => {
    const [column, row] = [i % 3, Math.floor(i / 3)];
    const turn = Math.floor((random[i] ?? 0) * 4) * 90;
    const [left, top] = [200 + column * 40, 60 + row * 40];
    return markup`<path class="${(random[i + 9] ?? 0) > 0.7 ? 'c' : 'b'}" transform="rotate(${turn} ${left + 20} ${top + 20})" d="M${left} ${top}h40a40 40 0 0 1-40 40z"/>`;
  })}`;

const figures: readonly Figure[] = [circles, bars, hills, bands, dots, arcs, tiles];

/** Paper, light colour, strong colour and text, of the light scheme and of the dark one. */
const palettes = [
  ['#dff0f2 #9fd0d7 #0b6273 #08343d', '#10313a #1c5560 #56b5c6 #dff4f7'],
  ['#fcf0d9 #f1ca7c #b8751a #4a2c05', '#36270e #654718 #e0a548 #fbeed6'],
  ['#fae6e6 #ecabab #b13b49 #561720', '#3a1a1f #68303a #e58a94 #fbe6e8'],
  ['#e7e9fa #b1b7ee #434ba9 #1f2461', '#1c2048 #343b7c #97a0f0 #e7e9fc'],
  ['#e3f2e4 #9dd1a4 #2f7a43 #143d20', '#15301c #285737 #6cc183 #e1f4e6'],
  ['#f1e6f8 #d2ace5 #7b3b9f #3b1751', '#2f1b3c #563269 #c78fe4 #f3e6fa'],
  ['#e8edf1 #b3c1cc #45586a #1d2a36', '#1d262e #374653 #9fb4c5 #e6edf3'],
  ['#fde8de #f5b491 #c0511f #59210a', '#39200f #683c20 #ee9a68 #fdeade'],
];
const PALETTES = palettes.length;

const coloursOf = (scheme: 0 | 1) =>
  palettes
    .map((each, i) => {
      const [a, b, c, t] = each[scheme]!.split(' ');
      return `.p${i} { --a: ${a}; --b: ${b}; --c: ${c}; --t: ${t}; }`;
    })
    .join('\n');

/** The style of pictures of listings, drawn ones included. They have the size of a slide before they are loaded. */
export const pictureStyle = `
.picture { display: block; width: 100%; height: auto; aspect-ratio: 16 / 9; object-fit: cover; background: var(--line); }
.drawn { position: relative; overflow: hidden; background: var(--a); color: var(--t); }
.drawn svg { position: absolute; inset: 0; width: 100%; height: 100%; }
.drawn .a { fill: var(--a); }
.drawn .b { fill: var(--b); }
.drawn .c { fill: var(--c); }
.drawn .line { fill: none; stroke: var(--b); stroke-width: 11; }
.drawn .c.line { stroke: var(--c); }
.drawn span { position: absolute; inset: 1.1rem 42% auto 1.2rem; display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical;
  -webkit-line-clamp: 4; font-size: 1.1rem; font-weight: 680; line-height: 1.2; letter-spacing: -.015em; overflow-wrap: anywhere;
  hyphens: auto; }
${coloursOf(0)}
@media (prefers-color-scheme: dark) {
${coloursOf(1)}
}
`;
