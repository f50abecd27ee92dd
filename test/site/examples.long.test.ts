import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../../local/project';
import { buildBundles } from '../support/bundles';
import { startWorld, world } from '../support/world';
import { documentedEndpoints, librarySource, typescriptExamples } from './pages';
import { endpointsWithCommand, expectCommandToWork, expectGuideToWork, guidesWithCommands, home } from './run-commands';
import { expectToAnswer, expectToRun } from './run-examples';

// The examples are read from the pages of the site.
buildBundles();

test('the examples in TypeScript compile under the strict rules', () => {
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

  test('the examples in TypeScript do what they say', () => expectToRun(world, home, typescriptExamples()));

  test.each(documentedEndpoints())('the example of %s for curl is a call that succeeds', (name) =>
    expectToAnswer(world, home, name),
  );

  test.each(endpointsWithCommand())('the command of %s does its work', (name) => expectCommandToWork(name));

  test.each(guidesWithCommands())('each command of the guide %s works', (name) => expectGuideToWork(name));

  // So that the stand-in is right where there is no curl.
  test.each(['precheckAssets', 'uploadPresentationAsset', 'reportPage'])(
    'the example of %s succeeds without curl, too',
    (name) => expectToAnswer(world, home, name, false),
  );
});
