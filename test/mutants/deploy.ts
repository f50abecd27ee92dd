import type { Mutant } from './mutant';

const tests = 'deploy/deploy.test.ts';

/** Faults in the deploy to a Firebase project. */
export const deployMutants: Mutant[] = [
  {
    name: 'a later deploy replaces the service secret',
    file: 'steps/secrets.ts',
    find: 'if (existing.has(name) && (await hasVersion(deploy, name))) continue;',
    replace: '',
    tests,
    only: 'changes nothing when it runs again',
  },
  {
    name: 'every deploy deletes functions that the code does not have',
    file: 'steps/release.ts',
    find: 'removed !== undefined && options.deleteRemoved',
    replace: 'removed !== undefined',
    tests,
    only: 'never deletes functions of others',
  },
  {
    name: 'the check of the client address counts one proxy too many',
    file: 'client-address.ts',
    find: 'forwardedFor.length - 1 - forwardedFor.lastIndexOf(forged)',
    replace: 'forwardedFor.length - forwardedFor.lastIndexOf(forged)',
    tests: 'deploy/check.test.ts',
    only: 'sees a proxy',
  },
  {
    name: 'a deploy replaces the lifecycle rules of an operator',
    file: 'steps/bucket.ts',
    find: '[...present, ...missing]',
    replace: 'missing',
    tests,
    only: 'keeps other settings',
  },
  {
    name: 'a secret is shown when the program fails',
    file: 'deploy/context.ts',
    find: "text.replaceAll(input.value.trim(), '<secret>')",
    replace: 'text',
    tests,
    only: 'shows no secret',
  },
  {
    name: 'a deploy does not see that the database clients differ',
    file: 'deploy/database-clients.ts',
    find: 'if (isDeepStrictEqual(outcome, expected)) continue;',
    replace: 'continue;',
    tests: 'deploy/check.test.ts',
    only: 'compares what the database clients write and read',
  },
  {
    name: 'a stored deck origin is never deployed when the run that stored it was cut off',
    file: 'steps/deck-origins.ts',
    find: 'else if (deckOrigin && (await isForeign(deploy, deckOrigin))) await releaseFunctions(deploy);',
    replace: '',
    tests: 'deploy/deck-origins.test.ts',
    only: 'continue after a cut',
  },
];
