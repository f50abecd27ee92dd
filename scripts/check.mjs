// `npm run check`: format, lint, types, unused code and tests. All of them run, whatever fails; the table says what did.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { buildChanged } from './build.mjs';
import { installMissing } from './install.mjs';
import { root } from './root.mjs';

const bin = (path, ...args) => [process.execPath, join(root, 'node_modules', path), ...args];

const STEPS = [
  ['format', bin('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.')],
  ['lint', bin('eslint/bin/eslint.js', '--max-warnings', '0', '.')],
  ['types: local, operator, test, bench', bin('typescript/bin/tsc', '--project', '.')],
  ['types: functions', bin('typescript/bin/tsc', '--project', 'functions')],
  ['types: cli', bin('typescript/bin/tsc', '--project', 'cli')],
  ['unused code', bin('knip/bin/knip.js', '--no-progress', '--no-config-hints')],
  ['tests', [process.execPath, join(root, 'scripts', 'test.mjs')]],
];

installMissing();
await buildChanged();

const rows = [];
for (const [name, [command, ...args]] of STEPS) {
  console.log(`\n── ${name}`);
  const startedAt = performance.now();
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  rows.push({ name, ok: status === 0, seconds: (performance.now() - startedAt) / 1000 });
}

const width = Math.max(...rows.map(({ name }) => name.length));
console.log();
for (const { name, ok, seconds } of rows) {
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(width)}  ${seconds.toFixed(1).padStart(6)} s`);
}
const total = rows.reduce((sum, { seconds }) => sum + seconds, 0);
const failed = rows.filter(({ ok }) => !ok).length;
console.log(
  `\n${failed === 0 ? 'All checks passed' : `${failed} of ${rows.length} checks failed`} in ${total.toFixed(0)} s.`,
);
process.exitCode = failed === 0 ? 0 : 1;
