// `npm run mutants`: plants faults in copies of the project, each of which the tests must catch. See HELP.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { parseArgs } from 'node:util';
import { ensureChromium } from './chromium.mjs';
import { installFramework, installMissing } from './install.mjs';
import { root } from './root.mjs';

/** The time limit for the tests of one fault. Tests that exceed it have caught the fault. */
const PATIENCE_MS = 300_000;
/** The time limit for one of these tests. */
const TEST_PATIENCE_MS = 90_000;
/** The time limit for all tests together. */
const LONG_PATIENCE_MS = 3_600_000;

const HELP = `Plants each fault of test/mutants in a copy of the project, and runs the tests that should catch it.

  npm run mutants -- [options] [part of a name …]

  --all    run the whole suite for each fault
  --fit    only look whether each fault fits the code, in seconds
  --help   print this text

Each processor works on a copy. Exits with 1 when a fault does not fit, does not run, or survives.
`;

const { values: asked, positionals: wanted } = readOptions();
const isAll = asked.all;
await installMissing([''], { dev: true });
await installFramework();
/** Some faults are caught in a browser. */
const chromium = ensureChromium();

const workshop = join(root, '.build', `mutants-${process.pid}`);
const copies = Array.from({ length: isAll ? 1 : availableParallelism() }, (_, i) => join(workshop, `project-${i}`));
process.on('exit', () => rmSync(workshop, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
removeAbandoned();
for (const copy of copies) copyProject(copy);

const { readMutants, plant } = await loadPlanting();
const mutants = readMutants(root);
const chosen = mutants.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
if (chosen.length === 0) fail(`No mutant is named ${wanted.join(', ')}.`);
// A fault that no longer fits the code fails here, before the first run.
const problems = chosen.flatMap((mutant) => problemOf(mutant));
if (problems.length > 0) fail(problems.join('\n\n'));
if (asked.fit) {
  console.log(`${chosen.length} faults fit the code.`);
  process.exit(0);
}

for (const part of [chosen.filter(({ only }) => !only), chosen.filter(({ only }) => only)]) {
  if (part.length === 0) continue;
  const tests = [...new Set(part.flatMap((mutant) => mutant.tests))];
  const only = part.flatMap((mutant) => mutant.only ?? []).join('|');
  const [outcome, by] = await run(copies[0], { tests, only, workers: copies.length }, LONG_PATIENCE_MS);
  if (outcome !== 'survived') fail(`Without a fault the tests do not pass: ${by ?? outcome}.`);
  if (isAll) break;
}

const missed = [];
const queue = [...chosen];
await Promise.all(copies.map(work));

for (const line of missed) console.log(line);
console.log(`caught ${chosen.length - missed.length} of ${chosen.length}`);
process.exit(missed.length === 0 ? 0 : 1);

/** The options of this process. Ends the process with 0 after `--help`, and with 2 for an unknown option. */
function readOptions() {
  const flag = { type: 'boolean', default: false };
  try {
    const given = parseArgs({ options: { all: flag, fit: flag, help: flag }, allowPositionals: true });
    if (!given.values.help) return given;
    process.stdout.write(HELP);
  } catch (error) {
    console.error(`${error.message}\n\n${HELP}`);
    process.exit(2);
  }
  process.exit(0);
}

/** Plants the faults of the queue in a copy, one after another. */
async function work(copy) {
  for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
    const begunAt = performance.now();
    const { path, text } = plant(copy, mutant);
    const original = readFileSync(path, 'utf8');
    writeFileSync(path, text);
    const [outcome, by] = await run(copy, mutant, isAll ? LONG_PATIENCE_MS : PATIENCE_MS);
    writeFileSync(path, original);
    if (outcome !== 'caught') missed.push(`${outcome}: ${mutant.name}`);
    const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
    console.log(`${outcome.padEnd(8)} ${mutant.name} (${seconds} s)${by ? `\n         by: ${by}` : ''}`);
  }
}

/** Why a fault does not fit the code, or its tests do not exist. */
function problemOf(mutant) {
  try {
    plant(copies[0], mutant);
  } catch (error) {
    return [error.message];
  }
  const missing = mutant.tests.filter((file) => !existsSync(join(root, 'test', file)));
  if (missing.length > 0) return [`${mutant.name}: no test file ${missing.join(', ')}`];
  const texts = mutant.tests.flatMap((file) => textsOf(join(root, 'test', file)));
  // The title of a table has other texts in place of its `%s`.
  const isFound = (name) => !name.includes('%') && texts.some((text) => text.includes(name));
  const absent = (mutant.only?.split('|') ?? []).filter((name) => !isFound(name));
  return absent.length > 0 ? [`${mutant.name}: no test is named ${absent.join(', ')}`] : [];
}

/** A test file, and the modules beside it that it imports, in which its tests may stand. */
function textsOf(path) {
  const text = readFileSync(path, 'utf8');
  const imported = [...text.matchAll(/ from '(\.\/[\w-]+)'/g)].map(([, name]) => `${join(path, '..', name)}.ts`);
  return [text, ...imported.filter((each) => existsSync(each)).map((each) => readFileSync(each, 'utf8'))];
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Deletes the copies of runs that were killed. */
function removeAbandoned() {
  if (!existsSync(join(root, '.build'))) return;
  for (const name of readdirSync(join(root, '.build'))) {
    const [, pid] = /^mutants-(\d+)$/.exec(name) ?? [];
    if (pid && !isRunning(Number(pid))) rmSync(join(root, '.build', name), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Copies the sources of the project, and links the installed packages. */
function copyProject(copy) {
  const left = new Set(['node_modules', '.git', '.build', '.local', 'dist', 'lib']);
  for (const name of readdirSync(root)) {
    if (left.has(name)) continue;
    const isCopied = (source) =>
      !relative(root, source)
        .split(/[/\\]/)
        .some((part) => left.has(part));
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: isCopied });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  mkdirSync(join(copy, '.build'), { recursive: true });
  symlinkSync(join(root, '.build', 'framework'), join(copy, '.build', 'framework'), 'junction');
}

async function loadPlanting() {
  const { build, stop } = await import('esbuild');
  const outfile = join(workshop, 'mutant.mjs');
  const entryPoints = [join(root, 'test', 'mutants', 'mutant.ts')];
  await build({
    entryPoints,
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['typescript'],
    logLevel: 'warning',
  });
  await stop();
  return import(outfile);
}

/** Runs tests. Returns `caught` and the first failed test, `survived`, or the reason why there is no result. */
async function run(copy, { tests, only, workers }, patienceMs) {
  const resultFile = join(copy, '.build', 'result.json');
  rmSync(resultFile, { force: true });
  const filter = isAll ? [] : [...tests.map((file) => join('test', file)), ...(only ? ['-t', only] : [])];
  // Some tests run the bundles. Several workers must not build them at the same time.
  if (workers || isAll) await ended(spawn(process.execPath, [join('scripts', 'build.mjs')], options(copy)), patienceMs);
  const jest = join('node_modules', 'jest', 'bin', 'jest.js');
  // A fault may leave work that never ends and keeps the process running after its tests.
  const output = ['-w', String(workers ?? 1), '--forceExit', '--json', '--outputFile', resultFile];
  // A test that waits for what never comes has caught the fault, and need not wait for minutes.
  const limit = workers ? [] : ['--testTimeout', String(TEST_PATIENCE_MS)];
  if (!(await ended(spawn(process.execPath, [jest, ...filter, ...output, ...limit], options(copy)), patienceMs))) {
    return ['caught', 'the tests did not end'];
  }

  const result = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')) : undefined;
  if (!result) return ['the tests ended without a result'];
  const failed = result.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed');
  if (failed) return ['caught', failed.fullName];
  if (result.numRuntimeErrorTestSuites > 0) return ['the code with the fault does not run'];
  return result.numPassedTests > 0 ? ['survived'] : ['no test has run'];
}

function options(copy) {
  const env = { ...process.env, ...(chromium.path && { CHROMIUM_PATH: chromium.path }) };
  return { cwd: copy, env, stdio: 'ignore', detached: process.platform !== 'win32' };
}

/** Returns false when the time limit ended the process. Ends the servers that the process has started, too. */
async function ended(child, patienceMs) {
  const stopAll = () => {
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
    } catch {
      // The processes have ended.
    }
  };
  // Before the copy is deleted, in which the tests write.
  process.prependListener('exit', stopAll);
  let isOver = true;
  const timer = setTimeout(() => {
    isOver = false;
    stopAll();
  }, patienceMs);
  await new Promise((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  process.off('exit', stopAll);
  stopAll();
  return isOver;
}
