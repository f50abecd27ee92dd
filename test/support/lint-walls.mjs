// Lints source texts by the rules of walls.mjs and lint-rules.mjs alone, as if each text were in a file at its path.
// Reads `[{filePath, code, rule}]` from standard input and writes the rules that each text breaks to standard output.
// This is a separate process because ESLint's plugins are ES modules.
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import { lintRules } from '../../lint-rules.mjs';
import { walls } from '../../walls.mjs';

/** The walls by type need the compiler, which knows only files that exist. It reads only what these plants import. */
const TYPED = 'functions/src/endpoints/tokens/unsharePresentation.ts';
/**
 * With CI=true the parser would read each file once from the disk, and find the types of the file instead of the plant.
 */
const compiler = { project: 'test/support/walls.tsconfig.json', disallowAutomaticSingleRunInference: true };
const typed = { files: [TYPED], languageOptions: { parserOptions: compiler } };
const untyped = { ignores: [TYPED], rules: { 'house/no-member-of': 'off' } };
const loops = { files: ['test/**/*.ts'], plugins: { house: lintRules }, rules: { 'house/counted-loops': 'error' } };
const eslint = new ESLint({ overrideConfigFile: true, overrideConfig: [...walls, typed, untyped, loops] });
const plants = JSON.parse(await text(process.stdin));
/** The rules that each plant breaks. */
const broken = plants.map(() => []);
// The plants of a path are linted as one text. Those that should break nothing are a text of their own, in which no
// plant can cause the message of another one. A circle is a fault of a whole text, so each has its own.
const texts = new Map();
for (const [i, { filePath, rule }] of plants.entries()) {
  const text = `${filePath} ${rule === 'house/no-circle' ? i : rule === undefined}`;
  texts.set(text, [...(texts.get(text) ?? []), i]);
}
for (const members of texts.values()) {
  const owners = members.flatMap((i) => plants[i].code.split('\n').map(() => i));
  const code = members.map((i) => plants[i].code).join('\n');
  const [result] = await eslint.lintText(code, { filePath: plants[members[0]].filePath });
  for (const { line, ruleId, message } of result.messages) broken[owners[line - 1]].push(ruleId ?? message);
}
console.log(JSON.stringify(broken));
