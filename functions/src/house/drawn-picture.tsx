import type { VNode } from 'preact';
import { pictures } from './tokens.json';

/**
 * The picture of a deck that has none: its title on a coloured slide with a figure. The title decides the colours and
 * the figure, so a deck has the same picture wherever it is shown. `card-style.ts` has its style.
 */
export function DrawnPicture({ title }: { title: string }) {
  const [palette = 0, choice = 0, ...random] = numbersOf(title, 2 + MOST_NUMBERS);
  const figure = figures[Math.floor(choice * figures.length)]!;
  return (
    <div class={`picture drawn p${Math.floor(palette * pictures.length)}`} aria-hidden="true">
      <svg viewBox="0 0 320 180" preserveAspectRatio="xMaxYMax slice" focusable="false">
        {figure(random)}
      </svg>
      <span dir="auto" lang="">
        {title}
      </span>
    </div>
  );
}

/** Numbers from 0 up to 1 that a text decides: its FNV-1a hash begins the generator mulberry32. */
function numbersOf(text: string, count: number): number[] {
  let state = 0x811c9dc5;
  for (const character of text) state = Math.imul(state ^ character.codePointAt(0)!, 0x01000193);
  return Array.from({ length: count }, () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  });
}

/** A figure at the right of the slide. `b` is the light colour of the palette, `c` the strong one. */
type Figure = (random: readonly number[]) => VNode[];
/** The most numbers that a figure uses. */
const MOST_NUMBERS = 24;

const round = (value: number) => Math.round(value * 10) / 10;
const range = (random: number, from: number, to: number) => round(from + random * (to - from));
const several = (count: number, each: (i: number) => VNode) => Array.from({ length: count }, (_, i) => each(i));
const circle = (kind: string, cx: number, cy: number, r: number) => <circle class={kind} cx={cx} cy={cy} r={r} />;
const path = (kind: string, d: string, transform?: string) => <path class={kind} d={d} transform={transform} />;

const circles: Figure = ([x = 0, y = 0, r = 0]) => {
  const cx = range(x, 250, 320);
  const cy = range(y, 90, 180);
  return [
    circle('b', cx, cy, range(r, 80, 105)),
    circle('c', round(cx + 12), round(cy + 12), range(r, 46, 62)),
    circle('a', round(cx + 24), round(cy + 24), range(r, 16, 24)),
  ];
};

const bars: Figure = (random) =>
  several(6, (i) => {
    const height = round(24 + (random[i] ?? 0) * 46 + i * 10);
    return <rect class={i === 5 ? 'c' : 'b'} x={188 + i * 20} y={180 - height} width={14} height={height} rx={3} />;
  });

const hills: Figure = ([x = 0, y = 0]) => {
  const top = range(x, 60, 100);
  const next = range(y, 96, 130);
  return [
    path('b', `M120 180C190 180 200 ${top} 262 ${top}S320 120 320 120V180z`),
    path('c', `M170 180C230 180 250 ${next} 290 ${next}S320 140 320 140V180z`),
  ];
};

const bands: Figure = ([x = 0]) => {
  const at = range(x, 170, 215);
  const band = (left: number) => `M${round(left)} 180L${round(left + 104)} 0h36L${round(left + 36)} 180z`;
  return [path('b', band(at)), path('c', band(at + 52))];
};

const dots: Figure = (random) =>
  several(24, (i) => {
    const [column, row] = [i % 6, Math.floor(i / 6)];
    const value = random[i] ?? 0;
    return circle(value > 0.72 ? 'c' : 'b', 206 + column * 21, 96 + row * 22, range(value, 3.5, 8));
  });

const arcs: Figure = ([x = 0]) => {
  const left = range(x, 290, 320);
  return several(4, (i) => circle(`${i === 1 ? 'c' : 'b'} line`, left, 180, 38 + i * 28));
};

const tiles: Figure = (random) =>
  several(9, (i) => {
    const [left, top] = [200 + (i % 3) * 40, 60 + Math.floor(i / 3) * 40];
    const turn = Math.floor((random[i] ?? 0) * 4) * 90;
    const kind = (random[i + 9] ?? 0) > 0.7 ? 'c' : 'b';
    return path(kind, `M${left} ${top}h40a40 40 0 0 1-40 40z`, `rotate(${turn} ${left + 20} ${top + 20})`);
  });

const figures: readonly Figure[] = [circles, bars, hills, bands, dots, arcs, tiles];
