// The rooms of the code and what each may import. Three things are made from this table: the lint rules
// (eslint.config.mjs), the table in ARCHITECTURE.md (`npm run docs`), and a test that plants a forbidden import in each
// room.

const F = 'functions/src';

/**
 * @typedef {object} Room
 * @property {string} path the folder or file of the room, from the root of the repository
 * @property {string} holds what is in it, for ARCHITECTURE.md
 * @property {readonly string[]} imports the rooms that it may import; a room always imports itself unless `isFlat`
 * @property {readonly string[]} [types] the rooms of which it may import types only
 * @property {readonly string[]} packages the npm packages that it may import
 * @property {readonly string[]} [builtins] the modules of Node that it may import; all of them when absent
 * @property {readonly string[]} [globals] the globals of REACHING (walls.mjs) that a room of the functions may use
 * @property {true} [isFlat] whether its files never import each other
 */

/** The functions, from the outside in. @type {Record<string, Room>} */
export const rooms = {
  index: {
    path: `${F}/index.ts`,
    holds: 'one line for each deployed function',
    imports: ['endpoints'],
    packages: [],
    builtins: [],
  },
  resources: {
    path: `${F}/resources.ts`,
    holds: 'the CPU, memory, timeout and instances of each class of functions',
    imports: ['values', 'config'],
    packages: ['firebase-functions'],
    builtins: [],
  },
  endpoints: {
    path: `${F}/endpoints`,
    holds: 'one file for each deployed function; the files never import each other',
    imports: [
      ...[
        'accounts',
        'decks',
        'marketplace',
        'webhooks',
        'exports',
        'schedules',
        'http',
        'contract',
        'rows',
        'records',
      ],
      ...['blobs', 'mail', 'pages', 'policy', 'values', 'errors', 'config', 'log', 'agents'],
    ],
    packages: ['zod'],
    builtins: [],
    isFlat: true,
  },
  accounts: {
    path: `${F}/accounts`,
    holds: 'what endpoints share about accounts',
    imports: ['decks', 'contract', 'rows', 'records', 'blobs', 'identity', 'mail', 'policy', 'values', 'errors'],
    packages: ['zod'],
    builtins: [],
  },
  decks: {
    path: `${F}/decks`,
    holds: 'what they share about decks: upload targets, open links, mailings, pictures',
    imports: [
      ...['http', 'contract', 'rows', 'records', 'blobs', 'mail', 'pictures'],
      ...['policy', 'values', 'errors', 'config', 'context', 'log'],
    ],
    packages: ['zod', 'lru-cache', 'p-map'],
    builtins: ['node:crypto', 'node:timers/promises'],
  },
  marketplace: {
    path: `${F}/marketplace`,
    holds: 'what they share about listings: lists, remixes, reports',
    imports: ['decks', 'http', 'contract', 'records', 'blobs', 'policy', 'values', 'errors', 'config', 'log'],
    packages: ['zod', 'p-map'],
    builtins: [],
  },
  webhooks: {
    path: `${F}/webhooks`,
    holds: 'what the functions of webhooks share: the sweep, the queue, requests to receivers, mails to owners',
    imports: ['contract', 'rows', 'records', 'mail', 'values', 'config', 'deadlines', 'app'],
    packages: ['firebase-admin', 'p-map'],
    builtins: ['node:dns', 'node:http', 'node:https'],
  },
  exports: {
    path: `${F}/exports`,
    holds: 'what is in an export of an account: its files, their order, and its parts',
    imports: ['contract', 'rows', 'records', 'blobs', 'pages', 'policy', 'values', 'config', 'log'],
    packages: ['zod', 'client-zip'],
    builtins: [],
  },
  schedules: {
    path: `${F}/schedules`,
    holds: 'what every scheduled function shares',
    imports: ['resources', 'errors', 'deadlines', 'log'],
    packages: ['firebase-functions'],
    builtins: [],
  },
  http: {
    path: `${F}/http`,
    holds: 'the request pipeline: callers, bodies, idempotency, answers',
    imports: [
      ...['runtime', 'records', 'blobs', 'pages', 'policy', 'values', 'errors', 'config', 'resources'],
      ...['context', 'deadlines', 'log'],
    ],
    packages: ['zod', 'firebase-functions', 'busboy', '@fastify/busboy', 'content-disposition', 'lru-cache'],
    builtins: [
      ...[
        'node:crypto',
        'node:diagnostics_channel',
        'node:events',
        'node:fs',
        'node:fs/promises',
        'node:net',
        'node:os',
      ],
      ...['node:path', 'node:stream', 'node:stream/promises', 'node:timers/promises', 'node:zlib'],
    ],
    globals: ['process'],
  },
  contract: {
    path: `${F}/contract`,
    holds: 'zod fields and rows that several endpoints share; no I/O',
    imports: ['rows', 'policy', 'values', 'errors', 'config'],
    packages: ['zod'],
    builtins: [],
  },
  rows: {
    path: `${F}/rows`,
    holds: 'the rows of records in answers and events; no I/O',
    imports: ['policy', 'values'],
    packages: [],
    builtins: [],
  },
  records: {
    path: `${F}/records`,
    holds: 'Firestore: one file for each noun, with its schema and its named writes',
    imports: ['rows', 'policy', 'values', 'errors', 'config', 'context', 'deadlines', 'log', 'credentials', 'app'],
    types: ['contract'],
    packages: ['zod', 'firebase-admin', '@grpc/grpc-js', 'protobufjs', 'lru-cache'],
    builtins: ['node:crypto', 'node:async_hooks', 'node:http2', 'node:zlib'],
    globals: ['require'],
  },
  blobs: {
    path: `${F}/blobs`,
    holds: 'Cloud Storage: reads, writes, copies, deletes',
    imports: ['policy', 'values', 'errors', 'config', 'context', 'deadlines', 'log', 'credentials', 'app'],
    packages: ['firebase-admin', 'lru-cache', 'p-map'],
    builtins: ['node:crypto', 'node:events', 'node:http', 'node:https', 'node:stream/promises', 'node:url'],
  },
  pictures: {
    path: `${F}/pictures`,
    holds: 'the decoder of pictures that people upload',
    imports: ['values'],
    packages: ['sharp'],
    builtins: [],
  },
  house: {
    path: `${F}/house`,
    holds: 'the look of all pages and mails',
    imports: ['values'],
    packages: ['preact', 'preact-render-to-string'],
    builtins: ['node:crypto'],
  },
  mail: {
    path: `${F}/mail`,
    holds: 'mail templates, calls of the mail provider',
    imports: ['house', 'records', 'policy', 'values', 'errors', 'config', 'deadlines', 'log'],
    packages: ['preact', 'resend'],
    builtins: [],
  },
  pages: {
    path: `${F}/pages`,
    holds: 'the HTML pages that the functions render',
    imports: ['house', 'runtime', 'policy', 'values', 'config'],
    packages: ['preact'],
    builtins: [],
  },
  identity: {
    path: `${F}/identity`,
    holds: 'Firebase Auth: the identity of an address',
    imports: ['deadlines', 'app'],
    packages: ['firebase-admin'],
    builtins: [],
  },
  policy: {
    path: `${F}/policy`,
    holds: 'pure decisions: plans, caps, rates, access, manifests; no I/O',
    imports: ['values', 'errors'],
    packages: ['zod'],
    builtins: ['node:crypto', 'node:buffer'],
  },
  values: {
    path: `${F}/values`,
    holds: 'values and their spelling: ids, tokens, paths, content types; no I/O',
    imports: [],
    packages: ['zod', 'uuid', 'content-type', 'image-size', 'ipaddr.js', 'parse5', 'transliteration', 'isbot'],
    builtins: ['node:buffer', 'node:crypto', 'node:zlib', 'node:net'],
  },
  errors: { path: `${F}/errors.ts`, holds: 'the error catalogue', imports: [], packages: [], builtins: [] },
  config: {
    path: `${F}/config.ts`,
    holds: 'the settings of a deployment',
    imports: ['values'],
    packages: ['firebase-functions'],
    builtins: [],
    globals: ['process'],
  },
  app: {
    path: `${F}/firebase-app.ts`,
    holds: "the Admin SDK's app",
    imports: [],
    packages: ['firebase-admin'],
    builtins: [],
    globals: ['require'],
  },
  credentials: {
    path: `${F}/google-credentials.ts`,
    holds: 'authorization of requests to Google',
    imports: [],
    packages: ['google-auth-library'],
    builtins: [],
  },
  deadlines: {
    path: `${F}/deadlines.ts`,
    holds: 'the time limits and retries of backend calls',
    imports: ['config', 'context'],
    packages: [],
    builtins: ['node:timers/promises'],
  },
  context: {
    path: `${F}/context.ts`,
    holds: 'the request that the running code serves',
    imports: [],
    packages: [],
    builtins: ['node:async_hooks'],
  },
  'source-lines': {
    path: `${F}/source-lines.ts`,
    holds: 'source lines for the stacks of the bundle',
    imports: [],
    packages: [],
    builtins: ['node:fs', 'node:module', 'node:path'],
  },
  log: {
    path: `${F}/log.ts`,
    holds: 'one log line for each request',
    imports: ['values', 'context', 'source-lines'],
    packages: ['firebase-functions'],
    builtins: ['node:path'],
    globals: ['console', 'process'],
  },
};

/** The other packages of the repository. `imports` names rooms of the functions, too. @type {Record<string, Room>} */
export const neighbours = {
  client: {
    path: 'client/src',
    holds: 'the client library',
    // The three-way comparison, which the service makes for remixes, and the rules of other hosts that it applies.
    imports: ['values'],
    types: ['index'],
    packages: ['*'],
  },
  cli: {
    path: 'cli/src',
    holds: 'the command-line client',
    // Pure decisions that `deck dev` and a push make as the service does, and the script that finds the slides.
    imports: ['client', 'runtime', 'policy', 'values'],
    types: ['index', 'errors'],
    packages: ['*'],
  },
  dashboard: {
    path: 'web/dashboard/src',
    holds: 'the dashboard, which runs in browsers',
    // The card of a listing and the drawn pictures are those of the marketplace, by the same rules. Decks in frames
    // tell their slide as they tell it to the share page.
    imports: ['client', 'house', 'runtime', 'policy', 'values'],
    types: ['errors'],
    packages: ['preact', 'preact-render-to-string', '@preact/signals', 'diff', 'p-limit', 'uqr'],
    builtins: [],
  },
  site: {
    path: 'web/site',
    holds: 'the pages of the site',
    imports: ['house'],
    // The privacy page says what each collection and each folder of the bucket holds.
    types: ['records', 'blobs'],
    packages: ['preact'],
    builtins: ['node:crypto'],
  },
  reference: {
    path: 'functions/reference',
    holds: 'the API reference, made from the endpoints',
    // The folders of the endpoints in `index.ts` are the areas of the reference.
    imports: ['values', 'index', 'http', 'contract', 'errors', 'local'],
    packages: ['zod', 'zod-openapi'],
    builtins: ['node:fs', 'node:path'],
  },
  runtime: {
    path: 'functions/runtime',
    holds: 'the scripts in pages of decks and of the site',
    imports: [],
    packages: [],
    builtins: [],
  },
  agents: {
    path: 'functions/agents',
    holds: 'the tools of `deck mcp`, bundled for the function `mcp`',
    imports: [],
    packages: [],
    builtins: ['node:path'],
  },
  local: { path: 'local', holds: 'the local cloud', imports: [], packages: ['*'] },
  deploy: {
    path: 'deploy',
    holds: 'the deploy to a Firebase project',
    imports: ['records', 'values'],
    packages: ['commander', 'ignore', 'p-map'],
  },
  emulators: {
    path: 'emulators',
    holds: "the command that runs Firebase's official emulators",
    imports: ['local'],
    packages: [],
  },
  operator: {
    path: 'operator',
    holds: 'the command of operators',
    imports: ['records', 'policy', 'values', 'errors', 'deploy', 'local'],
    packages: ['*'],
  },
};

/** The rows of ARCHITECTURE.md: the rooms of the functions, and the bundles that they load. */
export function architectureTable() {
  const shown = [...Object.values(rooms), neighbours['runtime'], neighbours['agents']];
  const rows = shown.map(({ path, holds }) => {
    const name = path.replace('functions/', '');
    return `| \`${name}${name.endsWith('.ts') ? '' : '/'}\` | ${holds} |`;
  });
  return ['| room | holds |', '|---|---|', ...rows].join('\n');
}
