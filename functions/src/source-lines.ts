import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { resolve } from 'node:path';

/**
 * Makes the stacks of errors name lines of the sources. The build adds this file to the bundle. Node's own support of
 * source maps reads the whole bundle and its map at each start, which takes 30 ms of CPU. Here the map is read when the
 * first stack is.
 */
const bundle = __filename;
let map: SourceMap | undefined;

Error.prepareStackTrace = (error, frames) => {
  const lines = frames.map((frame) => `\n    at ${inSources(frame as Frame)}`);
  return `${Error.prototype.toString.call(error)}${lines.join('')}`;
};

/** V8's text of a frame: function, file, line and column. */
type Frame = NodeJS.CallSite & { toString(): string };

function inSources(frame: Frame): string {
  const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
  if (frame.getFileName() !== bundle || !line || !column) return frame.toString();
  map ??= new SourceMap(
    JSON.parse(readFileSync(`${bundle}.map`, 'utf8')) as ConstructorParameters<typeof SourceMap>[0],
  );
  const found = map.findEntry(line - 1, column - 1);
  if (!('originalSource' in found)) return frame.toString();
  const { originalSource, originalLine, originalColumn } = found;
  const place = `${resolve(__dirname, originalSource)}:${originalLine + 1}:${originalColumn + 1}`;
  return frame.toString().replace(`${bundle}:${line}:${column}`, () => place);
}
