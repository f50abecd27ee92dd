// Lints source texts by the rules of walls.mjs and lint-rules.mjs alone, as if each text were a file at its path. Reads `[{filePath,
// code}]` from standard input and writes the rules that each text breaks to standard output. This is a separate process
// because ESLint's plugins are ES modules.
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import { lintRules } from '../../lint-rules.mjs';
import { walls } from '../../walls.mjs';

/** The walls by type need the compiler, which knows only files that exist and takes long for each text. */
const TYPED = 'functions/src/endpoints/tokens/unsharePresentation.ts';
const typed = { files: [TYPED], languageOptions: { parserOptions: { projectService: true } } };
const untyped = { ignores: [TYPED], rules: { 'house/no-member-of': 'off' } };
const loops = { files: ['test/**/*.ts'], plugins: { house: lintRules }, rules: { 'house/counted-loops': 'error' } };
const eslint = new ESLint({ overrideConfigFile: true, overrideConfig: [...walls, typed, untyped, loops] });
const plants = JSON.parse(await text(process.stdin));
const broken = [];
for (const { filePath, code } of plants) {
  const [result] = await eslint.lintText(code, { filePath });
  broken.push(result.messages.map(({ ruleId, message }) => ruleId ?? message));
}
console.log(JSON.stringify(broken));
