import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../../local/project';

/**
 * Hints name commands through `commandLine`, which repeats what the user typed: `npx deckhost`, `--base-url`. Help texts
 * describe the commands in general, and name them as `deck …`.
 */

const folder = join(projectRoot, 'cli/src');
/** Calls that take a text of the help. */
const ofHelp = new Set(['description', 'argument', 'option', 'Option', 'sub', 'addHelpText']);
/** The help itself, and the texts for agents, who have no command line. */
const isHelpFile = (path: string) => /^(help|mcp)\//.test(path);

/** The texts in the code that name a command of `deck`, outside of help texts. */
function commandsIn(node: ts.Node): string[] {
  if (ts.isVariableDeclaration(node) && node.name.getText().endsWith('HELP')) return [];
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
    const isNamed = /(`|: |[Rr]un )deck [a-z]/.test(node.getText().slice(1));
    if (isNamed && !isTextOfHelp(node)) return [node.getText()];
  }
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children.flatMap(commandsIn);
}

function isTextOfHelp({ parent }: ts.Node): boolean {
  if (!ts.isCallExpression(parent) && !ts.isNewExpression(parent)) return false;
  const called = parent.expression;
  return ofHelp.has(ts.isPropertyAccessExpression(called) ? called.name.text : called.getText());
}

const parse = (path: string, text: string) => ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);

test('no hint names a command as a literal text', () => {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  const read = paths.filter((path) => path.endsWith('.ts') && !isHelpFile(path));
  const found = read.flatMap((path) =>
    commandsIn(parse(path, readFileSync(join(folder, path), 'utf8'))).map((text) => `${path}: ${text}`),
  );
  expect(read.length).toBeGreaterThan(50);
  expect(found).toEqual([]);
});

test.each([
  ["fail('x', { nextAction: 'Run `deck login` first.' })", 1],
  ['fail(`Sign in: deck login ${words}`)', 1],
  ["command.description('as `deck list` shows it')", 0],
  ['const HELP = `run \\`deck push\\``;', 0],
  ["fail('The deck of this folder', commandLine('login'))", 0],
])('the guard tells a hint from a help text: %s', (code, count) => {
  expect(commandsIn(parse('a.ts', code))).toHaveLength(count);
});
