import type { Mutant } from './mutant';

const site = 'functions/endpoints/deck-site.test.ts';
const files = 'functions/endpoints/deck-files.test.ts';
const listings = 'functions/endpoints/listing-discovery.test.ts';
const addresses = 'functions/policy/deck-addresses.test.ts';

/** Faults in the origins of decks. */
export const deckOriginMutants: Mutant[] = [
  {
    name: 'a grant opens other labels',
    file: 'viewer/deckSite.ts',
    find: '.find((grant) => grant && labelOfToken(grant.tokenId) === label)',
    replace: '.find((grant) => grant)',
    tests: site,
    only: 'of another label',
  },
  {
    name: 'a ticket opens other labels',
    file: 'viewer/deckSite.ts',
    find: '!ticket || labelOfToken(ticket.tokenId) !== label',
    replace: '!ticket',
    tests: site,
    only: 'refuses any other ticket',
  },
  {
    name: 'a ticket is a grant',
    file: 'deck-grants.ts',
    find: 'mac(secret, `deck-${kind}`, ...signed)',
    replace: "mac(secret, 'deck', ...signed)",
    tests: 'functions/values/deck-grants.test.ts',
  },
  {
    name: 'an expired grant opens its deck',
    file: 'deck-grants.ts',
    find: 'isSigned && expiresAt > now',
    replace: 'isSigned',
    tests: site,
    only: 'ends after 30 days',
  },
  {
    name: 'a forwarded host is believed',
    file: 'viewer/deckSite.ts',
    find: "header(request, 'host') ?? ''",
    replace: "header(request, 'x-forwarded-host') ?? header(request, 'host') ?? ''",
    tests: site,
    only: 'that a header forwards',
  },
  {
    name: 'a service worker is installed',
    file: 'viewer/deckSite.ts',
    find: '    assertNoServiceWorker(request);\n',
    replace: '',
    tests: site,
    only: 'service worker',
  },
  {
    name: 'pages of other origins read the files of a deck',
    file: 'viewer/deckSite.ts',
    find: '  isSameOrigin: true,\n',
    replace: '',
    tests: site,
    only: 'other methods are refused',
  },
  {
    name: 'the pages of other decks get the files of a deck',
    file: 'deck-headers.ts',
    find: "'Cross-Origin-Resource-Policy': 'same-origin'",
    replace: "'Cross-Origin-Resource-Policy': 'same-site'",
    tests: files,
    only: 'keep other origins out',
  },
  {
    name: 'another deck counts views with an old grant',
    file: 'deck-views.ts',
    find: "site !== 'same-site' || now.getTime() - grantedAt.getTime() <= NEW_GRANT_MS",
    replace: 'grantedAt <= now',
    tests: 'functions/policy/deck-views.test.ts',
  },
  {
    name: 'an encoded slash is a slash',
    file: 'deck-addresses.ts',
    find: "segments.some((segment) => segment.includes('/')) ? undefined : ",
    replace: '',
    tests: addresses,
  },
  {
    name: 'a redirect leads to the address that was asked for',
    file: 'deck-addresses.ts',
    find: 'index && { redirect: addressOf(index.path) }',
    replace: 'index && { redirect: `//${path}/` }',
    tests: addresses,
  },
  {
    name: 'an asset that is missing is answered with the app',
    file: 'deck-addresses.ts',
    find: 'return isNavigation ? [...ofAddress,',
    replace: 'return path ? [...ofAddress,',
    tests: addresses,
  },
  {
    name: 'a listing that was taken down is served on its origin',
    file: 'viewer/deckSite.ts',
    find: '= assertShown(listing);',
    replace: '= listing!;',
    tests: listings,
    only: 'answers 410',
  },
  {
    name: 'an unknown label stays unknown',
    file: 'listing-labels.ts',
    find: 'if (found) cache.set(label, found.slug);',
    replace: "cache.set(label, found?.slug ?? '-');",
    tests: listings,
    only: 'an unknown label one read each time',
  },
];
