import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../../local/project';
import { startWorld, world } from '../support/world';
import { buildSite, librarySource, typescriptExamples } from './pages';
import { aHome, expectToRun } from './run-examples';

test('the examples in TypeScript compile under the strict rules', () => {
  buildSite();
  const folder = mkdtempSync(join(tmpdir(), 'decks-examples-'));
  const paths = [...typescriptExamples()].map(([name, code]) => {
    const file = join(folder, `${name}.ts`);
    writeFileSync(file, `${code}\nexport {};\n`);
    return file;
  });
  const program = ts.createProgram(paths, {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true,
    resolveJsonModule: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    lib: ['lib.es2024.d.ts'],
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: ['node'],
    typeRoots: [join(projectRoot, 'node_modules/@types')],
    paths: { 'deckhost-client': [librarySource] },
  });
  const problems = paths.flatMap((path) => ts.getPreEmitDiagnostics(program, program.getSourceFile(path)));
  rmSync(folder, { recursive: true });
  expect(problems.map(({ file, messageText }) => [file?.fileName, messageText])).toEqual([]);
  expect(paths.length).toBeGreaterThan(50);
});

describe('over a service', () => {
  startWorld();

  test('the examples in TypeScript do what they say', async () => {
    const home = aHome();
    await expectToRun(world, home, typescriptExamples());
    rmSync(home, { recursive: true });
  });
});
