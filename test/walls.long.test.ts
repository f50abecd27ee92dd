import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { architectureTable, neighbours, rooms } from '../rooms.mjs';

const root = join(__dirname, '..');
const all = { ...rooms, ...neighbours };
type Room = (typeof all)[string];

/** A file of a room, so that an import of it resolves. */
function someFile({ path }: Room): string {
  if (statSync(join(root, path)).isFile()) return path;
  const files = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(tsx?|cjs)$/.test(file),
  );
  return join(path, files.sort()[0]!);
}

/** The path of a file that could stand in a room. */
function planted({ path }: Room): string {
  if (path.endsWith('.ts')) return path;
  const name = /^(functions\/src|web)\//.test(path) ? 'planted.tsx' : 'planted.ts';
  return join(path, path.endsWith('endpoints') ? `area/${name}` : name);
}

/** How a file of the room would name a file. */
function specifier(from: Room, file: string): string {
  const path = relative(dirname(planted(from)), file).replace(/\.tsx?$/, '');
  return path.startsWith('.') ? path : `./${path}`;
}

interface Plant {
  title: string;
  filePath: string;
  code: string;
  /** The rule that the file breaks; undefined where it breaks none. */
  rule: string | undefined;
}

const PATHS = 'import-x/no-restricted-paths';
const IMPORTS = '@typescript-eslint/no-restricted-imports';
const SYNTAX = 'no-restricted-syntax';
const GLOBALS = 'no-restricted-globals';
const CIRCLE = 'house/no-circle';

const plants: Plant[] = [];
/** Plants codes in a file, each of which breaks the rule that is named, or none. */
const plantIn =
  (where: string, filePath: string) =>
  (what: string, code: string, rule?: string): void =>
    void plants.push({ title: `${where}: ${what}`, filePath, code, rule });

for (const [name, room] of Object.entries(all)) {
  const plant = plantIn(name, planted(room));
  for (const [other, target] of Object.entries(all).filter(([other]) => other !== name)) {
    const path = specifier(room, someFile(target));
    if (room.imports.includes(other)) plant(`may import ${other}`, `import '${path}';`);
    else if (room.types?.includes(other)) {
      plant(`may import types of ${other}`, `import type { x } from '${path}'; export type { x };`);
      plant(`may not import values of ${other}`, `import { x } from '${path}'; x();`, IMPORTS);
    } else {
      plant(`may not import ${other}`, `import '${path}';`, PATHS);
      plant(`may not load ${other} at run time`, `void import('${path}');`, PATHS);
    }
  }
  if (!room.packages.includes('*')) {
    plant('may not import a package that rooms.mjs does not name', `import 'express';`, PATHS);
    plant('may not load such a package at run time', `void import('express');`, PATHS);
    for (const each of room.packages) plant(`may import ${each}`, `import '${each}';`);
  }
  if (room.builtins) plant('may not import node:cluster', `import 'node:cluster';`, IMPORTS);
}

const database = specifier(rooms['endpoints']!, 'functions/src/records/database.ts');
const inEndpoint = plantIn('endpoints', planted(rooms['endpoints']!));
inEndpoint('may not import each other', `import '../tokens/addPresentationToken';`, PATHS);
inEndpoint('may read records', `import { read } from '${database}'; read();`);
inEndpoint('may not hold the database', `import { db } from '${database}'; db();`, IMPORTS);
inEndpoint('may not spell the code of an error without code()', `z.string().min(1, 'EMAIL_REQUIRED');`, SYNTAX);
inEndpoint('may not log past log.ts', `import { logger } from '../../log'; logger();`, SYNTAX);
inEndpoint('may not load a module of Node at run time', `void import('node:http');`, SYNTAX);
inEndpoint('may not load what a text names', `void import(path);`, SYNTAX);
inEndpoint('may not import a module of Node', `import { get } from 'node:http'; get('');`, IMPORTS);
inEndpoint('may name types of Node', `import type { Server } from 'node:http'; export type { Server };`);

/** A file that exists, because its types are looked up. It imports the type of our transactions. */
const plantTyped = plantIn('endpoints', 'functions/src/endpoints/tokens/unsharePresentation.ts');
const inTransaction = (what: string, code: string, rule?: string) =>
  plantTyped(
    what,
    `import { readIn, type Transaction } from '../../records/database';
import { documentOf } from '../../records/collections';
import { presentationRef } from '../../records/presentations';
export async function planted(tx: Transaction, maybe?: Transaction): Promise<unknown> { ${code} }`,
    rule,
  );
const MEMBER = 'house/no-member-of';
inTransaction('may pass a transaction on', `return readIn(tx, presentationRef('x'));`);
inTransaction('may not write in a transaction', `tx.delete(presentationRef('x'));`, MEMBER);
inTransaction('may not write in one of another name', `const batch = tx; batch.delete(presentationRef('x'));`, MEMBER);
inTransaction('may not write in one that may be absent', `maybe?.delete(presentationRef('x'));`, MEMBER);
inTransaction('may not write by a computed name', `tx['delete'](presentationRef('x'));`, MEMBER);
inTransaction('may not take the write out of it', `const { delete: remove } = tx; return remove;`, MEMBER);
inTransaction('may not write a document', `await documentOf(presentationRef('x')).delete();`, MEMBER);
inTransaction('may not query', `return documentOf(presentationRef('x')).parent.where('x', '==', 1);`, MEMBER);

for (const name of ['house', 'pages', 'mail']) {
  const plant = plantIn(name, planted(rooms[name]!));
  plant('may write HTML as TSX', 'export const html = (text: string) => <p class="said">{text}</p>;');
  plant('may not write HTML past JSX', 'export const html = <p dangerouslySetInnerHTML={{ __html: text }} />;', SYNTAX);
  plant('may not write HTML in a template', 'export const html = `<p>${text}</p>`;', SYNTAX);
  plant('may not write HTML in a string', `export const html = '<p>' + text;`, SYNTAX);
}

const inDashboard = plantIn('dashboard', planted(neighbours['dashboard']!));
inDashboard('may not move the focus after the paint', 'useEffect(() => () => opener.focus(), []);', SYNTAX);
inDashboard(
  'may not begin to listen after the paint',
  "useEffect(() => addEventListener('message', follow), []);",
  SYNTAX,
);

for (const [name, room] of Object.entries(rooms)) {
  const plant = plantIn(name, planted(room));
  plant('may not write HTML in a string', 'export const html = `<p class="said">${text}</p>`;', SYNTAX);
  plant('may not use a global of browsers', 'export const title = document.title;', GLOBALS);
  for (const [global, code] of [
    ['process', `export const name = process.env['NAME'];`],
    ['process', `const { stdout } = process; stdout.write('text');`],
    ['process', `export const http: unknown = process.getBuiltinModule('node:http');`],
    ['console', `const { log } = console; log('text');`],
    ['fetch', `export const answer = fetch('https://example.com');`],
    ['globalThis', `export const answer = globalThis['fetch']('https://example.com');`],
    ['require', `export const http: unknown = require('node:http');`],
  ] as const) {
    const isAllowed = room.globals?.includes(global);
    plant(`${isAllowed ? 'may' : 'may not'} use ${global}`, code, isAllowed ? undefined : GLOBALS);
  }
}

/** A circle of imports between two files of the dashboard: the router imports the table of routes. */
const circle = plantIn('a circle', 'web/dashboard/src/routes.ts');
circle('may not be made by an import', `import './router';`, CIRCLE);
circle('may not be made at run time', `void import('./router');`, CIRCLE);
circle('may not be made of types', `import type { x } from './router'; export type { x };`, CIRCLE);
circle('may not be made of a type in place', `export type X = import('./router').X;`, CIRCLE);
circle('is not made by a page', `void import('./pages/decks');`);

const SPREAD = 'house/no-spread-literal';
const spread = plantIn('a spread', 'local/planted.ts');
spread('may not lay out fields', `export const x = { ...{ a: 1, b: 2 }, c: 3 };`, SPREAD);
spread('may depend on a condition', `export const x = (y?: string) => ({ ...(y && { y }), c: 3 });`);

const LOOPS = 'house/counted-loops';
const loop = plantIn('a loop', 'test/planted.test.ts');
loop('may not expect of a list that may be empty', `for (const x of found) expect(x).toBe(1);`, LOOPS);
loop('may not expect of entries that are filtered', `for (const x of [1].filter(y)) expect(x).toBe(1);`, LOOPS);
loop('may not expect of a parameter', `const f = (all) => all.forEach((x) => expect(x).toBe(1)); f();`, LOOPS);
loop('may expect of a list that is counted', `for (const x of each(found)) expect(x).toBe(1);`);
loop('may expect of a list in the file', `const all = [1]; for (const x of all) expect(x).toBe(1);`);

const broken = JSON.parse(
  execFileSync(process.execPath, [join(__dirname, 'support/lint-walls.mjs')], {
    cwd: root,
    input: JSON.stringify(plants),
    encoding: 'utf8',
  }),
) as string[][];

test.each(plants.map((plant, i) => [plant.title, plant, broken[i]!] as const))('%s', (_title, { rule }, rules) => {
  expect(rules).toEqual(rule ? expect.arrayContaining([rule]) : []);
});

test('every folder and file of functions/src is a room', () => {
  const found = readdirSync(join(root, 'functions/src')).map((name) => `functions/src/${name}`);
  expect(found.sort()).toEqual(
    Object.values(rooms)
      .map(({ path }) => path)
      .sort(),
  );
});

test('every room of the functions names its modules of Node', () => {
  expect(Object.values(rooms).filter(({ builtins }) => builtins === undefined)).toEqual([]);
});

test('the linter uses the walls, and ARCHITECTURE.md shows the table', () => {
  expect(readFileSync(join(root, 'eslint.config.mjs'), 'utf8')).toContain('...walls');
  expect(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')).toContain(architectureTable());
});
