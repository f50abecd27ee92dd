// Lints files that exist nowhere by the rules of walls.mjs alone: `[{filePath, code}]` on standard input, the rules that each one
// breaks on standard output. A process of its own, since ESLint's plugins are ES modules.
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import { walls } from '../../walls.mjs';

const eslint = new ESLint({ overrideConfigFile: true, overrideConfig: walls });
const plants = JSON.parse(await text(process.stdin));
const broken = [];
for (const { filePath, code } of plants) {
  const [result] = await eslint.lintText(code, { filePath });
  broken.push(result.messages.map(({ ruleId, message }) => ruleId ?? message));
}
console.log(JSON.stringify(broken));
