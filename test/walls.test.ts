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
    /\.(ts|cjs)$/.test(file),
  );
  return join(path, files.sort()[0]!);
}

/** The path of a file that could stand in a room. */
const planted = ({ path }: Room) =>
  path.endsWith('.ts') ? path : join(path, path.endsWith('endpoints') ? 'area/planted.ts' : 'planted.ts');

/** How a file of the room would name a file. */
function specifier(from: Room, file: string): string {
  const path = relative(dirname(planted(from)), file).replace(/\.ts$/, '');
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
  inEndpoint('may not write a field in a transaction', `tx.update(presentationRef('x'), { title: 'x' });`, SYNTAX),
  inEndpoint('may not write a document outside of one', `await presentationRef('x').delete();`, SYNTAX),
  inEndpoint('may not name a collection', `database.collection('presentations');`, SYNTAX),
  inEndpoint('may not spell the code of an error without code()', `z.string().min(1, 'EMAIL_REQUIRED');`, SYNTAX),
  inEndpoint('may not log past log.ts', `import { logger } from '../../log'; logger();`, SYNTAX),
  inEndpoint('may not print', `console.info('text');`, SYNTAX),
);
for (const name of ['pages', 'mail']) {
  const plant = (title: string, code: string, rule: string | undefined) =>
    plants.push({ title: `${name}: ${title}`, filePath: planted(rooms[name]!), code, rule });
  plant('may write HTML with the tag markup', 'export const html = markup`<p>${text}</p>`;', undefined);
  plant('may not write HTML in a template without the tag', 'export const html = `<p>${text}</p>`;', SYNTAX);
  plant('may not write HTML in a string', `export const html = '<p>' + text;`, SYNTAX);
}

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

test('the linter uses the walls, and ARCHITECTURE.md shows the table', () => {
  expect(readFileSync(join(root, 'eslint.config.mjs'), 'utf8')).toContain('...walls');
  expect(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')).toContain(architectureTable());
});
