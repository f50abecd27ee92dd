import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { architectureTable, neighbours, rooms } from '../rooms.mjs';

const root = join(__dirname, '..');
const all = { ...rooms, ...neighbours };
type Name = string;
type Room = (typeof all)[Name];

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

const plants: Plant[] = Object.entries(all).flatMap(([name, room]) => {
  const plant = (title: string, code: string, rule: string | undefined): Plant => ({
    title: `${name}: ${title}`,
    filePath: planted(room),
    code,
    rule,
  });
  const others = Object.entries(all).filter(([other]) => other !== name);
  const ofRooms = others.flatMap(([other, target]) => {
    const path = specifier(room, someFile(target));
    if (room.imports.includes(other)) return [plant(`may import ${other}`, `import '${path}';`, undefined)];
    if (room.types?.includes(other))
      return [
        plant(`may import types of ${other}`, `import type { x } from '${path}'; export type { x };`, undefined),
        plant(`may not import values of ${other}`, `import { x } from '${path}'; x();`, IMPORTS),
      ];
    return [
      plant(`may not import ${other}`, `import '${path}';`, PATHS),
      plant(`may not load ${other} at run time`, `void import('${path}');`, PATHS),
    ];
  });
  const isOpen = room.packages.includes('*');
  const ofPackages = isOpen
    ? []
    : [
        plant('may not import a package that rooms.mjs does not name', `import 'express';`, PATHS),
        plant('may not load such a package at run time', `void import('express');`, PATHS),
        ...room.packages.map((each) => plant(`may import ${each}`, `import '${each}';`, undefined)),
      ];
  const ofNode = room.builtins ? [plant('may not import node:cluster', `import 'node:cluster';`, IMPORTS)] : [];
  return [...ofRooms, ...ofPackages, ...ofNode];
});

const database = specifier(rooms['endpoints']!, 'functions/src/records/database.ts');
const inEndpoint = (title: string, code: string, rule: string | undefined): Plant => ({
  title: `endpoints: ${title}`,
  filePath: planted(rooms['endpoints']!),
  code,
  rule,
});
plants.push(
  inEndpoint('may not import each other', `import '../tokens/addPresentationToken';`, PATHS),
  inEndpoint('may read records', `import { read } from '${database}'; read();`, undefined),
  inEndpoint('may not hold the database', `import { db } from '${database}'; db();`, IMPORTS),
  inEndpoint('may not spell the code of an error without code()', `z.string().min(1, 'EMAIL_REQUIRED');`, SYNTAX),
  inEndpoint('may not log past log.ts', `import { logger } from '../../log'; logger();`, SYNTAX),
  inEndpoint('may not load a module of Node at run time', `void import('node:http');`, SYNTAX),
  inEndpoint('may not load what a text names', `void import(path);`, SYNTAX),
  inEndpoint('may not import a module of Node', `import { get } from 'node:http'; get('');`, IMPORTS),
  inEndpoint('may name types of Node', `import type { Server } from 'node:http'; export type { Server };`, undefined),
);

/** A file that exists, because its types are looked up. It imports the type of our transactions. */
const inTransaction = (title: string, code: string, rule: string | undefined): Plant => ({
  title: `endpoints: ${title}`,
  filePath: 'functions/src/endpoints/tokens/unsharePresentation.ts',
  code: `import { readIn, type Transaction } from '../../records/database';
import { documentOf } from '../../records/collections';
import { presentationRef } from '../../records/presentations';
export async function planted(tx: Transaction, maybe?: Transaction): Promise<unknown> { ${code} }`,
  rule,
});
const MEMBER = 'house/no-member-of';
plants.push(
  inTransaction('may pass a transaction on', `return readIn(tx, presentationRef('x'));`, undefined),
  inTransaction('may not write in a transaction', `tx.delete(presentationRef('x'));`, MEMBER),
  inTransaction(
    'may not write in one of another name',
    `const batch = tx; batch.delete(presentationRef('x'));`,
    MEMBER,
  ),
  inTransaction('may not write in one that may be absent', `maybe?.delete(presentationRef('x'));`, MEMBER),
  inTransaction('may not write by a computed name', `tx['delete'](presentationRef('x'));`, MEMBER),
  inTransaction('may not take the write out of it', `const { delete: remove } = tx; return remove;`, MEMBER),
  inTransaction('may not write a document', `await documentOf(presentationRef('x')).delete();`, MEMBER),
  inTransaction('may not query', `return documentOf(presentationRef('x')).parent.where('x', '==', 1);`, MEMBER),
);
for (const name of ['house', 'pages', 'mail']) {
  const plant = (title: string, code: string, rule: string | undefined) =>
    plants.push({ title: `${name}: ${title}`, filePath: planted(rooms[name]!), code, rule });
  plant('may write HTML as TSX', 'export const html = (text: string) => <p class="said">{text}</p>;', undefined);
  plant('may not write HTML past JSX', 'export const html = <p dangerouslySetInnerHTML={{ __html: text }} />;', SYNTAX);
  plant('may not write HTML in a template', 'export const html = `<p>${text}</p>`;', SYNTAX);
  plant('may not write HTML in a string', `export const html = '<p>' + text;`, SYNTAX);
}
for (const [title, code] of Object.entries({
  'move the focus': 'useEffect(() => () => opener.focus(), []);',
  'begin to listen': "useEffect(() => addEventListener('message', follow), []);",
}))
  plants.push({
    title: `dashboard: may not ${title} after the paint`,
    filePath: planted(neighbours['dashboard']!),
    code,
    rule: SYNTAX,
  });
for (const [name, room] of Object.entries(rooms)) {
  const plant = (title: string, code: string, rule: string | undefined) =>
    plants.push({ title: `${name}: ${title}`, filePath: planted(room), code, rule });
  plant('may not write HTML in a string', 'export const html = `<p class="said">${text}</p>`;', SYNTAX);
  plant('may not use a global of browsers', 'export const title = document.title;', GLOBALS);
  const reach = (global: string, code: string) =>
    plant(
      `${room.globals?.includes(global) ? 'may' : 'may not'} use ${global}`,
      code,
      room.globals?.includes(global) ? undefined : GLOBALS,
    );
  reach('process', `export const name = process.env['NAME'];`);
  reach('process', `const { stdout } = process; stdout.write('text');`);
  reach('process', `export const http: unknown = process.getBuiltinModule('node:http');`);
  reach('console', `const { log } = console; log('text');`);
  reach('fetch', `export const answer = fetch('https://example.com');`);
  reach('globalThis', `export const answer = globalThis['fetch']('https://example.com');`);
  reach('require', `export const http: unknown = require('node:http');`);
}

/** A circle of imports between two files of the dashboard: the router imports the table of routes. */
const circle = (title: string, code: string, rule: string | undefined): Plant => ({
  title: `a circle: ${title}`,
  filePath: 'web/dashboard/src/routes.ts',
  code,
  rule,
});
plants.push(
  circle('may not be made by an import', `import './router';`, CIRCLE),
  circle('may not be made at run time', `void import('./router');`, CIRCLE),
  circle('may not be made of types', `import type { x } from './router'; export type { x };`, CIRCLE),
  circle('may not be made of a type in place', `export type X = import('./router').X;`, CIRCLE),
  circle('is not made by a page', `void import('./pages/decks');`, undefined),
);

const SPREAD = 'house/no-spread-literal';
const spread = (title: string, code: string, rule: string | undefined) =>
  plants.push({ title: `a spread: ${title}`, filePath: 'local/planted.ts', code, rule });
spread('may not lay out fields', `export const x = { ...{ a: 1, b: 2 }, c: 3 };`, SPREAD);
spread('may depend on a condition', `export const x = (y?: string) => ({ ...(y && { y }), c: 3 });`, undefined);

const LOOPS = 'house/counted-loops';
const loop = (title: string, code: string, rule: string | undefined) =>
  plants.push({ title: `a loop: ${title}`, filePath: 'test/planted.test.ts', code, rule });
loop('may not expect of a list that may be empty', `for (const x of found) expect(x).toBe(1);`, LOOPS);
loop('may not expect of entries that are filtered', `for (const x of [1].filter(y)) expect(x).toBe(1);`, LOOPS);
loop('may not expect of a parameter', `const f = (all) => all.forEach((x) => expect(x).toBe(1)); f();`, LOOPS);
loop('may expect of a list that is counted', `for (const x of each(found)) expect(x).toBe(1);`, undefined);
loop('may expect of a list in the file', `const all = [1]; for (const x of all) expect(x).toBe(1);`, undefined);

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
