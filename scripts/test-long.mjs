// `npm run test:long`: the proofs that are slow for what they prove. `-- <part …>` runs some parts: `tests` (the files
// `*.long.test.ts`), `sdk` (tests of records and the story on the official client of Firestore alone), `decks`
// (decks of real tools), `mutants` (planted faults, which takes hours). Every part runs, also after a failure.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './root.mjs';

const parts = {
  tests: { run: ['test.mjs', '--long'] },
  sdk: {
    // The other tests of the folder `records` are about the small client itself.
    run: [
      'test.mjs',
      'test/functions/records/groups',
      'test/functions/stored',
      'test/functions/endpoints/(usage|versions|tokens|marketplace-counters)',
      'test/browser/story.test.ts',
    ],
    environment: { FIRESTORE_CLIENT: 'sdk' },
  },
  decks: { run: ['test-decks.mjs'] },
  mutants: { run: ['mutants.mjs'] },
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`test:long has no part ${unknown.join(', ')}. The parts are ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}

const failed = [];
for (const [name, { run, environment }] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`── ${name}`);
  const [script, ...args] = run;
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', script), ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
