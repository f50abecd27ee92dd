import type { Mutant } from './mutant';

const isolation = 'browser/isolation.test.ts';

/** Faults in what separates decks in a browser. Without Chromium their tests are skipped. */
export const isolationMutants: Mutant[] = [
  {
    name: 'a deck embeds the files of another deck',
    file: 'deck-headers.ts',
    find: "'Cross-Origin-Resource-Policy': 'same-origin'",
    replace: "'Cross-Origin-Resource-Policy': 'same-site'",
    tests: isolation,
    only: 'at its own origin',
  },
  {
    name: 'a deck keeps a reference to the window of another deck',
    file: 'deck-headers.ts',
    find: "'same-origin-allow-popups'",
    replace: "'unsafe-none'",
    tests: isolation,
    only: 'the name or the referrer',
  },
  {
    name: 'a deck frames another deck',
    file: 'http/deck-site.ts',
    find: "frame-ancestors 'self'",
    replace: 'frame-ancestors http://*.decks.localhost:*',
    tests: isolation,
    only: 'at its own origin',
  },
  {
    name: 'scripts read the grant',
    file: 'deck-grants.ts',
    find: 'Secure; HttpOnly;',
    replace: 'Secure;',
    tests: isolation,
    only: 'cannot read',
  },
  {
    name: 'the window that another deck opens counts a view',
    file: 'deck-views.ts',
    find: "site !== 'same-site' ||",
    replace: "site !== '' ||",
    tests: isolation,
    only: 'no request of another deck counts a view',
  },
  {
    name: 'the frame of another deck counts a view',
    file: 'deck-views.ts',
    find: "if (frames.has(destination ?? '')) return false;",
    replace: '',
    tests: isolation,
    only: 'counts none, even when',
  },
];
