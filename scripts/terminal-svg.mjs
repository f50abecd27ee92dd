// Draws the output of a terminal as an SVG with text, for docs/session.svg.

/** The colours of the terminal, in light and dark. */
const classes = {
  31: 'red',
  32: 'green',
  33: 'yellow',
  36: 'cyan',
};
const style = `
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; white-space: pre }
rect { fill: #f6f8fa; stroke: #d1d9e0 }
.b { font-weight: 600 } .dim { fill: #59636e }
.red { fill: #c21c2c } .green { fill: #1a6e2e } .yellow { fill: #855b00 } .cyan { fill: #0a5a72 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } rect { fill: #161b22; stroke: #3d444d } .dim { fill: #9aa4af }
.red { fill: #ff8b83 } .green { fill: #56d364 } .yellow { fill: #e3b341 } .cyan { fill: #76d9e6 }
}`;

const [LEFT, TOP, LINE, COLUMN] = [20, 34, 20, 8.45];

/** The text with ANSI codes as an SVG. `title` says what it shows, for those who do not see it. */
export function drawTerminal(text, title) {
  const lines = screenOf(text);
  const columns = Math.max(...lines.map((line) => line.length));
  const [width, height] = [Math.ceil(LEFT * 2 + columns * COLUMN), TOP + lines.length * LINE];
  const plain = lines.map((line) => line.map(({ char }) => char).join('')).join('\n');
  const rows = lines.map((line, i) =>
    line.length > 0 ? `<text x="${LEFT}" y="${TOP + i * LINE}">${spans(line)}</text>` : '',
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-labelledby="t d">`,
    `<title id="t">${escape(title)}</title>`,
    `<desc id="d">${escape(plain)}</desc>`,
    `<style>${style}</style>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...rows.filter(Boolean),
    '</svg>\n',
  ].join('\n');
}

/** The characters that are on the screen at the end, each with its class. */
function screenOf(text) {
  const lines = [[]];
  let [row, column, style] = [0, 0, new Set()];
  // eslint-disable-next-line no-control-regex -- terminals are told by control characters
  for (const [part, parameters, final] of text.matchAll(/\x1b\[([\d;?]*)([A-Za-z])|[^]/gu)) {
    if (final === 'm') style = styleAfter(style, parameters);
    else if (final === 'K') lines[row] = parameters === '2' ? [] : lines[row].slice(0, column);
    else if (final === 'G') column = Number(parameters || 1) - 1;
    else if (final === 'J') lines[row] = lines[row].slice(0, column);
    else if (final !== undefined) continue;
    else if (part === '\r') column = 0;
    else if (part === '\n') {
      [row, column] = [row + 1, 0];
      lines[row] ??= [];
    } else lines[row][column++] = { char: part, style: [...style].join(' ') };
  }
  while (lines.at(-1)?.length === 0) lines.pop();
  return lines.map((line) => Array.from(line, (cell) => cell ?? { char: ' ', style: '' }));
}

function styleAfter(style, parameters) {
  const next = new Set(style);
  for (const code of parameters.split(';').map(Number)) {
    if (code === 0) next.clear();
    else if (code === 1) next.add('b');
    else if (code === 2) next.add('dim');
    else if (code === 22) ['b', 'dim'].forEach((name) => next.delete(name));
    else if (code === 39) Object.values(classes).forEach((name) => next.delete(name));
    else if (classes[code]) next.add(classes[code]);
  }
  return next;
}

/** Neighbours with the same class share an element. */
function spans(line) {
  const parts = [];
  for (const { char, style } of line) {
    const last = parts.at(-1);
    if (last?.style === style) last.text += char;
    else parts.push({ style, text: char });
  }
  return parts
    .map(({ style, text }) => (style ? `<tspan class="${style}">${escape(text)}</tspan>` : escape(text)))
    .join('');
}

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
