import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import ts from 'typescript';

/** A fault to plant in the code. Its name is the broken guarantee. */
export interface Mutant {
  name: string;
  /** The end of the path of the file below one of `FOLDERS`. A file that was renamed is found by `find` alone. */
  file: string;
  /**
   * Code that stands exactly once in the file. Tokens are compared: line breaks, spaces, comments, quotes and commas
   * at the end of a list do not count, so that the code is found after an edit that changes only these.
   */
  find: string;
  replace: string;
  /** The test files, below `test`, that should catch the fault. */
  tests: readonly string[];
  /** Runs the tests whose names match this pattern; all tests of the files without it. */
  only?: string;
}

/**
 * Every fault of the files `*.diff` in test/mutants. A fault is a paragraph: its name; the line `@ file caught by test
 * file: part of a test's name`, where several files may stand and the part may be missing; the code as lines with `-`;
 * what replaces it as lines with `+`.
 */
export function readMutants(root: string): Mutant[] {
  const folder = join(root, 'test', 'mutants');
  const lists = readdirSync(folder).filter((name) => name.endsWith('.diff'));
  return lists.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n\n').map(read));
}

function read(paragraph: string): Mutant {
  const [name, place, ...code] = paragraph.split('\n');
  const [, file, tests, only] = /^@ (\S+) caught by ([^:]+)(?:: (.+))?$/.exec(place ?? '') ?? [];
  const codeOf = (sign: string) => code.flatMap((line) => (line.startsWith(sign) ? line.slice(1) : [])).join('\n');
  const find = codeOf('-');
  if (!name || !file || !tests || !find) throw new Error(`This is not a fault:\n${paragraph}`);
  return { name, file, find, replace: codeOf('+'), tests: tests.split(', '), ...(only && { only }) };
}

/** The files in which faults are planted. */
const FOLDERS = [
  ...[
    join('functions', 'src'),
    join('functions', 'runtime'),
    join('client', 'src'),
    join('cli', 'src'),
    'local',
    'deploy',
    'operator',
  ],
  ...[join('web', 'dashboard', 'src'), join('web', 'site')],
];

/**
 * Returns the path of the mutant's file and the text of that file with the fault. Throws when `find` does not stand in
 * exactly one place.
 */
export function plant(root: string, mutant: Mutant): { path: string; text: string } {
  const wanted = sep + join(...mutant.file.split('/'));
  const all = FOLDERS.flatMap((folder) => filesBelow(join(root, folder)));
  const named = all.filter((path) => path.endsWith(wanted));
  // Another file that has the code by chance is not a place while the named file exists.
  const places = placesIn(named.length > 0 ? named : all, mutant.find);
  const [place] = places;
  if (!place || places.length > 1) {
    throw new Error(`${mutant.name}: ${places.length} places in ${mutant.file} have the code:\n${mutant.find}`);
  }
  const { path, source, start, end } = place;
  return { path, text: source.slice(0, start) + mutant.replace + source.slice(end) };
}

interface Place {
  path: string;
  source: string;
  start: number;
  end: number;
}

/** Where the code stands: as the same text, or else as the same tokens. */
function placesIn(paths: readonly string[], find: string): Place[] {
  const files = paths.map((path) => ({ path, source: readFileSync(path, 'utf8') }));
  const asText = files.flatMap(({ path, source }) =>
    [...indexesOf(source, find)].map((start) => ({ path, source, start, end: start + find.length })),
  );
  if (asText.length > 0) return asText;
  const words = tokensOf(find).map(({ word }) => word);
  return files
    .filter(({ source }) => source.includes(longest(words)))
    .flatMap(({ path, source }) => {
      const tokens = tokensOf(source);
      const isHere = (at: number) => words.every((word, i) => tokens[at + i]?.word === word);
      return tokens.flatMap(({ start }, at) =>
        isHere(at) ? [{ path, source, start, end: tokens[at + words.length - 1]!.end }] : [],
      );
    });
}

function* indexesOf(text: string, part: string) {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) yield at;
}

const longest = (words: readonly string[]) =>
  words.filter((word) => /^\w+$/.test(word)).reduce((a, b) => (b.length > a.length ? b : a), '');

interface Token {
  word: string;
  start: number;
  end: number;
}

/** The tokens of a text, without a comma before a closing bracket. The text may be a part of a file. */
function tokensOf(text: string): Token[] {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.JSX, text);
  const tokens: Token[] = [];
  while (scanner.scan() !== ts.SyntaxKind.EndOfFileToken) {
    const word = scanner.getToken() === ts.SyntaxKind.StringLiteral ? scanner.getTokenValue() : scanner.getTokenText();
    if (/^[)\]}]$/.test(word) && tokens.at(-1)?.word === ',') tokens.pop();
    tokens.push({ word, start: scanner.getTokenStart(), end: scanner.getTokenEnd() });
  }
  if (tokens.at(-1)?.word === ',') tokens.pop();
  return tokens;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
