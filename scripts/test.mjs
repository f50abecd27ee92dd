// `npm test`: installs missing packages and Chromium, builds, and runs the fast suite. Arguments after `--` are passed
// to jest; a file among them may be of the long suite. The last line is always `N passed, N failed, N skipped`. The
// skipped tests and the reason are printed before it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildChanged, buildSite } from './build.mjs';
import { ensureChromium } from './chromium.mjs';
import { installFramework, installMissing } from './install.mjs';
import { root } from './root.mjs';

const args = process.argv.slice(2).filter((argument) => argument !== '--long');
const suite = process.argv.includes('--long') ? 'long' : args.length > 0 ? 'both' : 'fast';

// The fast suite does without the tools of other people.
await installMissing(['', ...(suite === 'fast' ? [] : ['test/description'])], { dev: true });
await installFramework();
await Promise.all([buildChanged(), buildSite()]);
const chromium = ensureChromium();

const resultFile = join(root, '.build', `test-results-${process.pid}.json`);
mkdirSync(join(root, '.build'), { recursive: true });
const jest = spawnSync(
  process.execPath,
  [join(root, 'node_modules', 'jest', 'bin', 'jest.js'), '--json', '--outputFile', resultFile, ...args],
  {
    cwd: root,
    // With --json, jest prints the results to standard output too. The file has the same content.
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, TEST_SUITE: suite, ...(chromium.path && { CHROMIUM_PATH: chromium.path }) },
  },
);

const results = readResults();
if (!results) {
  console.log('jest ended without a result.');
  console.log('0 passed, 1 failed, 0 skipped');
  process.exit(1);
}
const brokenFiles = results.numRuntimeErrorTestSuites;
const failed = results.numFailedTests + brokenFiles;
const skipped = skippedTests(results);
if (brokenFiles > 0) console.log(`\n${brokenFiles} test files could not run at all.`);
if (skipped.length > 0) {
  console.log(`\nSkipped${chromium.problem ? ` (${chromium.problem})` : ''}:`);
  for (const name of skipped) console.log(`  ${name}`);
} else if (chromium.problem) {
  console.log(`\nBrowser tests cannot run: ${chromium.problem}.`);
}
console.log(`\n${results.numPassedTests} passed, ${failed} failed, ${skipped.length} skipped`);
process.exitCode = jest.status === 0 && failed === 0 ? 0 : 1;

function readResults() {
  try {
    return JSON.parse(readFileSync(resultFile, 'utf8'));
  } catch {
    return undefined;
  } finally {
    rmSync(resultFile, { force: true });
  }
}

/** The names of the skipped tests. Empty with a filter on the command line, which skips tests on purpose. */
function skippedTests({ testResults }) {
  const isFiltered = process.argv.some((argument) => /^(-t|--testNamePattern)/.test(argument));
  if (isFiltered) return [];
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'pending' || status === 'todo').map(({ fullName }) => fullName),
  );
}
