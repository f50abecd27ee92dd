import type { Mutant } from './mutant';

const dashboard = 'browser/dashboard.test.ts';
const remix = 'browser/dashboard-sharing.test.ts';
const actions = 'browser/dashboard-actions.test.ts';
const pages = 'functions/endpoints/marketplace-pages.test.ts';

/** Faults in the pages of the dashboard, and in the drawn pictures that they share with the marketplace. */
export const dashboardMutants: Mutant[] = [
  {
    name: 'the dashboard may make markup of texts',
    file: 'dashboard-policy.mjs',
    find: `    'require-trusted-types-for': "'script'",\n`,
    replace: '',
    tests: dashboard,
    only: 'the policy refuses inline code',
  },
  {
    name: 'the dashboard runs inline scripts',
    file: 'dashboard-policy.mjs',
    find: `'script-src': "'self'"`,
    replace: `'script-src': "'self' 'unsafe-inline'"`,
    tests: 'site/pages.test.ts',
    only: 'names the addresses of the project',
  },
  {
    name: 'the dashboard calls servers of other people',
    file: 'dashboard-policy.mjs',
    find: "'connect-src': `'self' ",
    replace: "'connect-src': `* 'self' ",
    tests: dashboard,
    only: 'the policy refuses inline code',
  },
  {
    name: 'the address of a link is the one to copy although a mail brought it to one person',
    file: 'use-deck.ts',
    find: ' && !link.isPersonal',
    replace: '',
    tests: 'browser/dashboard-deck.test.ts',
    only: 'the personal link of a mail',
  },
  {
    name: 'an answer does not tell that a link is for one person',
    file: 'link-rows.ts',
    find: '    ...(token.isForRecipient && { isPersonal: true as const }),\n',
    replace: '',
    tests: 'functions/endpoints/tokens.test.ts',
    only: 'of a recipient stays personal',
  },
  {
    name: 'a wish gets another idempotency key after a lost answer',
    file: 'dashboard/src/attempts.ts',
    find: 'this.failed.get(wish) ?? crypto.randomUUID()',
    replace: 'crypto.randomUUID()',
    tests: actions,
    only: 'a link is added',
  },
  {
    name: 'the same input is never a new wish',
    file: 'dashboard/src/attempts.ts',
    find: '      this.failed.clear();\n',
    replace: '',
    tests: actions,
    only: 'the same input is a new wish after a success',
  },
  {
    name: 'a listing that is not public can be remixed in the dashboard',
    file: 'pages/remix/index.tsx',
    find: "{data?.status === 'public' && <RemixForm",
    replace: '{data && <RemixForm',
    tests: remix,
    only: 'a listing is not public',
  },
  {
    name: 'the page of a remix leaves out the picture',
    file: 'pages/remix/index.tsx',
    find: '      <ListingPicture {...listing} />\n',
    replace: '',
    tests: remix,
    only: 'and the picture of the listing',
  },
  {
    name: 'all decks have the same drawn picture',
    file: 'house/drawn-picture.tsx',
    find: 'numbersOf(title, ',
    replace: "numbersOf('', ",
    tests: pages,
    only: 'always the same',
  },
  {
    name: 'a deck has another drawn picture each time',
    file: 'house/drawn-picture.tsx',
    find: 'let state = 0x811c9dc5;',
    replace: 'let state = Math.floor(Math.random() * 2 ** 31);',
    tests: pages,
    only: 'always the same',
  },
];
