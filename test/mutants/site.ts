import type { Mutant } from './mutant';

const guards = 'functions/endpoints/guards.test.ts';
const tokens = 'functions/endpoints/tokens.test.ts';
const discovery = 'functions/endpoints/listing-discovery.test.ts';
const search = 'functions/endpoints/lists.test.ts';
const pages = 'functions/endpoints/marketplace-pages.test.ts';
const archives = 'browser/archives.test.ts';

/** Faults in what the dashboard, the pages of the marketplace and the push of a page guarantee. */
export const siteMutants: Mutant[] = [
  {
    name: 'an API key calls what only a session of the dashboard may',
    file: 'http/pipeline.ts',
    find: "} else if (rule === 'session') {",
    replace: "} else if (rule === 'session' && caller.kind === 'admin') {",
    tests: guards,
    only: 'answers 403 to an API key',
  },
  {
    name: 'a session of the dashboard calls what describes a key',
    file: 'http/pipeline.ts',
    find: "if (rule === 'any-key')\n",
    replace: "if (rule === 'anyone')\n",
    tests: guards,
    only: 'verifyApiKey alone refuses a session of the dashboard',
  },
  {
    name: 'a session of the dashboard lives after its end',
    file: 'http/caller.ts',
    find: "if (!session || session.expiresAt <= now) return refuse('The session has ended. Log in again.');",
    replace: "if (!session) return refuse('The session has ended. Log in again.');",
    tests: guards,
    only: 'answers 401 to a session that ended, expired or never was',
  },
  {
    name: 'a sign-up at the dashboard makes its account without a name',
    file: 'completeDashboardSignup.ts',
    find: '  onRefusedInput: assertCodeWithoutName,\n',
    replace: '',
    tests: 'functions/endpoints/account.test.ts',
    only: 'tells a wrong code before it asks for a name',
  },
  {
    name: 'a dev renames the deck',
    file: 'renamePresentation.ts',
    find: "deck: 'owner'",
    replace: "deck: 'dev'",
    tests: 'functions/endpoints/guards.test.ts',
    only: 'lets a dev call it',
  },
  {
    name: 'a link that waits for its mail is renamed',
    file: 'renameShareToken.ts',
    find: 'if (!stored || stored.isHeld)',
    replace: 'if (!stored)',
    tests: tokens,
    only: 'is not one that waits until the provider has accepted its mail',
  },
  {
    name: 'a preview of a mail differs from the mail',
    file: 'decks/mail-preview.ts',
    find: 'subject: letter.subject, html',
    replace: 'subject: deck.title, html',
    tests: tokens,
    only: 'a preview of a mail is the mail that would be sent',
  },
  {
    name: 'a second star of a user is an error',
    file: 'starMarketplaceListing.ts',
    find: 'if (!star) {',
    replace: "if (star) fail('conflict');\n    else {",
    tests: 'functions/endpoints/marketplace-counters.test.ts',
    only: 'are counted once, however many calls of one user race',
  },
  {
    name: 'an unlisted listing is found by lists and searches',
    file: 'records/listings.ts',
    find: "of.status === 'public' && !of.takedown && !of.deletedAt ? tokensOf(of) : []",
    replace: '!of.takedown && !of.deletedAt ? tokensOf(of) : []',
    tests: search,
    only: 'finds the present words of a listing, and those of no listing that is not public',
  },
  {
    name: 'a search for several words examines every listing with the rarest one',
    file: 'marketplace/listing-search.ts',
    find: 'batch < MAX_BATCHES && found.length <= limit',
    replace: 'found.length <= limit',
    tests: search,
    only: 'for one word costs one query',
  },
  {
    name: 'the page of an author has the id of the user',
    file: 'policy/listings.ts',
    find: `  createHash('sha256')
    .update(JSON.stringify(['author', ownerId]))
    .digest('hex')
    .slice(0, 20);`,
    replace: '  ownerId;',
    tests: search,
    only: 'names its author by an id that is not that of the user',
  },
  {
    name: 'a text of a user ends the script of the page of its listing',
    file: 'house/attributes.ts',
    find: 'JSON.stringify(value).replace(/[<>&]/g,',
    replace: 'JSON.stringify(value).replace(/[&]/g,',
    tests: discovery,
    only: 'describes a public listing as data',
  },
  {
    name: 'oEmbed gives the frame of an unlisted listing',
    file: 'endpoints/marketplace/oembed.ts',
    find: "if (listing.status !== 'public') return fail('not-found');",
    replace: '',
    tests: discovery,
    only: 'refuses other addresses, unlisted and removed listings',
  },
  {
    name: 'the page of an unlisted listing names its oEmbed address',
    file: 'listing-metadata.tsx',
    find: "{status === 'public' && (",
    replace: '{status !== undefined && (',
    tests: discovery,
    only: 'describes a public listing as data',
  },
  {
    name: 'search engines may show an unlisted listing',
    file: 'pages/listing-page.tsx',
    find: "isFound: status === 'public',",
    replace: 'isFound: true,',
    tests: pages,
    only: 'is hidden from search engines while the listing is unlisted',
  },
  {
    name: 'the sitemap names an unlisted listing',
    file: 'sitemap-parts.ts',
    find: "status === 'public' && !takedown && !deletedAt",
    replace: '!takedown && !deletedAt',
    tests: discovery,
    only: 'has every public listing in exactly one part',
  },
  {
    name: 'the sitemap names a listing that was taken down',
    file: 'sitemap-parts.ts',
    find: "status === 'public' && !takedown && !deletedAt",
    replace: "status === 'public' && !deletedAt",
    tests: discovery,
    only: 'has every public listing in exactly one part',
  },
  {
    name: 'a picture that browsers run is shown as that of a deck',
    file: 'policy/deck-pictures.ts',
    find: "'image/webp', 'image/gif']",
    replace: "'image/webp', 'image/gif', 'image/svg+xml']",
    tests: 'functions/endpoints/share-page.test.ts',
    only: 'the thumbnail when og:image is SVG',
  },
  {
    name: 'an archive has more bytes than a deck may have',
    file: 'read-dropped.ts',
    find: 'given.length > maxFiles || sumFiles(given).bytes > maxBytes',
    replace: 'given.length > maxFiles',
    tests: archives,
    only: 'has too many bytes',
  },
  {
    name: 'a name that leads out of an archive becomes a path of the deck',
    file: 'read-zip.ts',
    find: " || part === '..')",
    replace: ')',
    tests: archives,
    only: 'every file that a deck cannot hold is named',
  },
  {
    name: 'a push goes on without the files that a deck cannot hold',
    file: 'browser-source.ts',
    find: '    throwRefused(refused);\n',
    replace: '',
    tests: archives,
    only: 'every file that a deck cannot hold is named',
  },
];
