import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { resolve } from 'node:path';

/** In a deployment this module is a part of the bundle, and the map lies next to the bundle. */
const bundle = __filename;
let map: SourceMap | undefined;

/**
 * The text of a stack with places in the sources instead of places in the bundle. The map is read at the first such
 * place. `Error.prepareStackTrace` would read it in every instance, because the Firestore SDK reads the stack of a new
 * error at each call. Without a readable map the text stays as it is: a fault is logged in any case.
 */
export function withSourceLines(stack: string): string {
  const [before, ...places] = stack.split(`${bundle}:`);
  if (places.length === 0) return stack;
  try {
    map ??= new SourceMap(
      JSON.parse(readFileSync(`${bundle}.map`, 'utf8')) as ConstructorParameters<typeof SourceMap>[0],
    );
    return [before, ...places.map(inSource)].join('');
  } catch {
    return stack;
  }
}

/** A text that begins with a line and a column of the bundle, with the place in the source in front instead. */
function inSource(text: string): string {
  const [position, line, column] = /^(\d+):(\d+)/.exec(text) ?? [''];
  const found = map!.findEntry(Number(line) - 1, Number(column) - 1);
  if (!('originalSource' in found)) return `${bundle}:${text}`;
  const { originalSource, originalLine, originalColumn } = found;
  const file = resolve(__dirname, originalSource);
  return `${file}:${originalLine + 1}:${originalColumn + 1}${text.slice(position.length)}`;
}
