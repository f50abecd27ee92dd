// `npm run check`: format, lint, types, unused code and tests. Every step runs, also after a failure. A table lists the
// results.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { buildChanged, buildSite } from './build.mjs';
import { installFramework, installMissing } from './install.mjs';
import { root } from './root.mjs';

const bin = (path, ...args) => [process.execPath, join(root, 'node_modules', path), ...args];

const lint = (...args) => bin('eslint/bin/eslint.js', '--max-warnings', '0', ...args);
/** Checks types with TypeScript 7, eight times as fast. The linter needs the API of TypeScript 6. */
const types = (project) => bin('typescript-native/bin/tsc', '--project', project);
const packages = ['functions', 'client', 'cli', 'web'];

/** The linter keeps the types of what one run reads. Those of all files need more than the 4 GB that Node allows. */
const STEPS = [
  ['format', bin('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.')],
  ['lint: functions', lint('functions')],
  ['lint: client, cli, web', lint('client', 'cli', 'web')],
  ['lint: all else', lint('.', ...packages.map((name) => `--ignore-pattern=${name}/`))],
  ['types: local, operator, deploy, test, bench', types('.')],
  ['types: functions', types('functions')],
  ['types: runtime', types('functions/runtime')],
  ['types: client', types('client')],
  ['types: web', types('web')],
  ['types: cli', types('cli')],
  ['unused code', bin('knip/bin/knip.js', '--no-progress', '--no-config-hints')],
];
const TESTS = ['tests', [process.execPath, join(root, 'scripts', 'test.mjs')]];

await installMissing([''], { dev: true });
await installFramework();
await Promise.all([buildChanged(), buildSite()]);

/** Runs a step. Prints its output at the end, or, with `isShown`, while it runs. */
function run([name, [command, ...args]], isShown) {
  const startedAt = performance.now();
  const output = isShown ? 'inherit' : 'pipe';
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', output, output] });
  const printed = [];
  child.stdout?.on('data', (chunk) => printed.push(chunk));
  child.stderr?.on('data', (chunk) => printed.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => {
      process.stdout.write(`\n── ${name}\n${Buffer.concat(printed).toString()}`);
      resolve({ name, ok: status === 0, seconds: (performance.now() - startedAt) / 1000 });
    });
  });
}

/** Runs the steps one after another: each of them uses a whole processor. */
async function runInTurn(steps) {
  const rows = [];
  for (const step of steps) rows.push(await run(step, false));
  return rows;
}

const startedAt = performance.now();
// The tests run at the same time as the other steps: they often wait and leave processor time.
const [statics, tests] = await Promise.all([runInTurn(STEPS), run(TESTS, true)]);
const rows = [...statics, tests];

const width = Math.max(...rows.map(({ name }) => name.length));
console.log();
for (const { name, ok, seconds } of rows) {
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(width)}  ${seconds.toFixed(1).padStart(6)} s`);
}
const total = (performance.now() - startedAt) / 1000;
const failed = rows.filter(({ ok }) => !ok).length;
console.log(
  `\n${failed === 0 ? 'All checks passed' : `${failed} of ${rows.length} checks failed`} in ${total.toFixed(0)} s.`,
);
process.exitCode = failed === 0 ? 0 : 1;
