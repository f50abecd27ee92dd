import type { Mutant } from './mutant';

const groups = 'functions/records/groups.test.ts';
const shared = 'functions/shared-calls.test.ts';

/** Faults in the calls of the database that several requests share. */
export const sharedCallMutants: Mutant[] = [
  {
    name: 'a call answers requests that came after its start',
    file: 'records/groups.ts',
    find: 'members.forEach(({ resolve }, i) => resolve(answers[i]!));',
    replace:
      '[...members, ...this.#waiting.splice(0)].forEach(({ resolve }, i) => resolve(answers[i] ?? answers[0]!));',
    tests: groups,
    only: 'comes after the start',
  },
  {
    name: 'a call that gets no answer stops all that follow',
    file: 'records/groups.ts',
    find: 'const PATIENCE_MS = 20;',
    replace: 'const PATIENCE_MS = 2_000_000_000;',
    tests: groups,
    only: 'get no answer',
  },
  {
    name: 'a refused call fails all its requests',
    file: 'records/groups.ts',
    find: 'members.length === 1 || !this.#options.isRefusal(error)',
    replace: 'members.length > 0',
    tests: shared,
    only: 'deleted deck',
  },
  {
    name: 'counts that may have been written are written again',
    file: 'records/database.ts',
    find: 'return !(error instanceof BackendTimeout) && ',
    replace: 'return true || ',
    tests: shared,
    only: 'may have been applied',
  },
  {
    name: 'a shared call has the time of its first request',
    file: 'src/deadlines.ts',
    find: 'return currentContext() ? runIn(context, call) : call();',
    replace: 'return call();',
    tests: shared,
    only: 'keeps its own time',
  },
  {
    name: 'views that share a commit count once',
    file: 'records/view-counters.ts',
    find: 'views: before + 1',
    replace: 'views: 1',
    tests: shared,
    only: 'of one link by',
  },
  {
    name: 'a shared document is billed to every request',
    file: 'records/database.ts',
    find: 'databaseReads += billed.size - before;',
    replace: 'databaseReads += refs.length;',
    tests: shared,
    only: 'add up to the bill',
  },
  {
    name: 'the viewer uses an AsyncLocalStorage',
    file: 'viewer/getSharedPresentation.ts',
    find: '  passesContext: true,\n',
    replace: '',
    tests: 'functions/async-context.test.ts',
    only: 'getSharedPresentation',
  },
];
