/** An address that a file of the deck asks for. */
export interface Reference {
  /** As it is written. */
  address: string;
  /** The line of the file, from 1. */
  line: number;
  /** What the browser does with the file. An import map may name a `folder`, whose address ends with a slash. */
  kind: 'file' | 'module' | 'stylesheet' | 'document' | 'folder';
}

/** Tells the line of a position in the text. The positions may not decrease from call to call. */
export function lineCounter(text: string, firstLine = 1): (position: number) => number {
  let line = firstLine;
  let next = text.indexOf('\n');
  return (position) => {
    while (next !== -1 && next < position) {
      line++;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  };
}
