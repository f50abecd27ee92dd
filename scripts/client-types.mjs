// Builds the client library with its types: `npm pack` in client/ runs it first, and `npm run pack:client`. The types
// of each of its entries are one file and need no package: the input and the answer of each endpoint are written out,
// as TypeScript reads them from the zod schemas.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateDtsBundle } from 'dts-bundle-generator';
import ts from 'typescript';
import { buildChanged } from './build.mjs';
import { root } from './root.mjs';

const ENTRIES = ['index', 'index.browser'];
const CONTRACT = join(root, 'client/src/service/contract.ts');
const EVENTS = join(root, 'functions/src/contract/events.ts');
const { NoTruncation, InTypeAlias, UseSingleQuotesForStringLiteralType } = ts.TypeFormatFlags;
const WRITTEN_OUT = NoTruncation | InTypeAlias | UseSingleQuotesForStringLiteralType;

/** The declarations of the library in a new folder, with the contract written out. Returns the folder. */
function emitDeclarations() {
  const { options } = ts.getParsedCommandLineOfConfigFile(join(root, 'client/tsconfig.json'), {}, ts.sys);
  const folder = mkdtempSync(join(root, '.build/client-types-'));
  const emitted = { noEmit: false, declaration: true, emitDeclarationOnly: true, stripInternal: true };
  const program = ts.createProgram(
    ENTRIES.map((name) => join(root, `client/src/${name}.ts`)),
    { ...options, ...emitted, rootDir: root, outDir: folder },
  );
  program.emit(undefined, writeText);
  writeText(join(folder, 'client/src/service/contract.d.ts'), contractText(program));
  return folder;
}

/** The contract as one interface, with what each endpoint does as its comment. */
function contractText(program) {
  const checker = program.getTypeChecker();
  const exports = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(CONTRACT)));
  const contract = checker.getDeclaredTypeOfSymbol(exports.find(({ name }) => name === 'Contract'));
  const endpoints = new Map(
    program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.includes('/functions/src/endpoints/'))
      .flatMap((file) => checker.getExportsOfModule(checker.getSymbolAtLocation(file)))
      .map((each) => [each.name, each.valueDeclaration]),
  );
  const calls = checker.getPropertiesOfType(contract).map((call) => {
    const text = checker.typeToString(checker.getTypeOfSymbol(call), undefined, WRITTEN_OUT);
    return `  /** ${aboutOf(endpoints.get(call.name))} */\n  ${call.name}: ${text};\n`;
  });
  // The compiler writes the name of this type, and not what it is.
  const ofEvents = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(EVENTS)));
  const { types } = checker.getDeclaredTypeOfSymbol(ofEvents.find(({ name }) => name === 'AnyEvent'));
  const events = types.map((type) => checker.typeToString(type, undefined, WRITTEN_OUT)).join('\n  | ');
  return `/** An event of each type. */\nexport type AnyEvent =\n  | ${events};\n\n/** Every call that has an input and an answer, by the name of its endpoint. */\nexport interface Contract {\n${calls.join('')}}\n`;
}

/** The sentence that the endpoint object says about itself. */
function aboutOf({ initializer }) {
  const [definition] = initializer.arguments;
  return textOf(definition.properties.find(({ name }) => name?.getText() === 'about').initializer);
}

/** The value of a string, or of a sum of strings. */
const textOf = (node) => (ts.isBinaryExpression(node) ? textOf(node.left) + textOf(node.right) : node.text);

function writeText(path, text) {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}

await buildChanged();
const folder = emitDeclarations();
try {
  const output = { noBanner: true, sortNodes: true };
  const entries = ENTRIES.map((name) => ({ filePath: join(folder, `client/src/${name}.d.ts`), output }));
  const texts = generateDtsBundle(entries, { preferredConfigPath: join(root, 'client/tsconfig.json') });
  ENTRIES.forEach((name, i) => writeText(join(root, `client/dist/${name}.d.mts`), texts[i]));
} finally {
  rmSync(folder, { recursive: true });
}
