// Makes the bundles: the local cloud, the emulators' command, the functions, the operator's commands, the deploy, the
// client library, the command-line client, the site.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { installMissing } from './install.mjs';
import { pack } from './pack.mjs';
import { writePdfFiles } from './pdf-files.mjs';
import { root } from './root.mjs';

const common = { absWorkingDir: root, bundle: true, platform: 'node', target: 'node20', logLevel: 'warning' };
const forBrowsers = { platform: 'browser', target: 'es2022' };

/** What every bundle depends on. */
const tools = ['scripts/build.mjs', 'scripts/pdf-files.mjs', 'package-lock.json'];
/** What files of CommonJS have, and modules lack. */
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url); " +
  'const { filename: __filename } = import.meta;';

/** What the client library and the commands of `deck` contain. */
const library = ['client/src', 'functions/src/policy', 'functions/src/values', 'functions/src/errors.ts'];

/** What can be built, by name. `build` gets esbuild. */
export const bundles = {
  local: {
    outputs: ['.build/local.js'],
    inputs: [...tools, 'local'],
    build: ({ build }) =>
      build({
        ...common,
        entryPoints: ['local/main.ts'],
        outfile: '.build/local.js',
        // One file loads faster than some 400 small files. lmdb finds its compiled library next to itself.
        external: ['lmdb'],
        sourcemap: true,
      }),
  },
  functions: {
    outputs: [
      'functions/lib/index.js',
      'functions/lib/agents.js',
      'functions/lib/functions.js',
      'functions/lib/functions.js.map',
      'functions/lib/google.js',
      'functions/lib/google-auth.js',
      'functions/lib/parse5.js',
      'functions/lib/preact.js',
      'functions/lib/resend.js',
      'functions/lib/transliteration.js',
    ],
    // The tools of the command-line client are a part of them.
    inputs: [
      ...tools,
      ...['functions/src', 'functions/runtime', 'functions/agents', 'functions/build.mjs', 'functions/package.json'],
      ...['client/src', 'cli/src', 'cli/package.json'],
    ],
    build: () => import('../functions/build.mjs'),
  },
  emulators: {
    outputs: ['.build/emulators.js'],
    inputs: [...tools, 'emulators', 'local'],
    build: ({ build }) =>
      build({
        ...common,
        entryPoints: ['emulators/main.ts'],
        outfile: '.build/emulators.js',
        packages: 'external',
        sourcemap: true,
      }),
  },
  operator: {
    outputs: ['.build/operator.js'],
    inputs: [
      ...tools,
      ...['operator', 'deploy/settings.ts', 'deploy/read-settings.mjs', 'local/no-proxy.ts'],
      ...['functions/src', 'functions/package.json'],
    ],
    build: ({ build }) => build({ ...common, entryPoints: ['operator/main.ts'], outfile: '.build/operator.js' }),
  },
  deploy: {
    outputs: ['.build/deploy.js'],
    inputs: [...tools, 'deploy', 'functions/src', 'functions/package.json'],
    build: ({ build }) => build({ ...common, entryPoints: ['deploy/main.ts'], outfile: '.build/deploy.js' }),
  },
  client: {
    // Its types take a program of TypeScript over all endpoints: scripts/client-types.mjs makes them for the package.
    outputs: [
      ...['client/dist/index.mjs', 'client/dist/index.browser.mjs', 'client/dist/hash-worker.mjs'],
      'client/dist/pdf/read-pdf.mjs',
    ],
    inputs: [...tools, ...library, 'client/package.json'],
    build: async (esbuild) => {
      const { build } = esbuild;
      const modules = { ...common, outdir: 'client/dist', format: 'esm', outExtension: { '.js': '.mjs' } };
      await Promise.all([
        writePdfFiles(esbuild, join(root, 'client/dist/pdf')),
        // A package of the search for secrets is CommonJS, and requires a module of Node.
        build({ ...modules, entryPoints: ['client/src/index.ts'], banner: { js: REQUIRE } }),
        build({
          ...modules,
          ...forBrowsers,
          entryPoints: {
            'index.browser': 'client/src/index.browser.ts',
            'hash-worker': 'client/src/browser/hash-worker.ts',
          },
        }),
      ]);
    },
  },
  cli: {
    outputs: [
      ...['cli/dist/deck.js', 'cli/dist/mcp.js', 'cli/dist/join-pdfs.js', 'cli/dist/pdf/read-pdf.mjs'],
      ...['cli/dist/deck.1', 'web/dist/deckhost.tgz'],
    ],
    inputs: [
      ...[...tools, ...library, 'functions/runtime'],
      ...['cli/src', 'cli/package.json', 'cli/README.md', 'scripts/pack.mjs'],
    ],
    build: async (esbuild) => {
      const { build } = esbuild;
      const minified = { ...common, minifyWhitespace: true, minifySyntax: true };
      const { runtimeAsText } = await import('../functions/runtime/as-text.cjs');
      await Promise.all([
        writePdfFiles(esbuild, join(root, 'cli/dist/pdf')),
        build({
          ...minified,
          entryPoints: ['cli/src/main.ts'],
          outfile: 'cli/dist/deck.js',
          plugins: [{ name: 'files that are loaded later', setup: loadLater }, runtimeAsText('driver')],
          banner: { js: '#!/usr/bin/env node' },
        }),
        build({
          ...minified,
          entryPoints: ['cli/src/mcp/server.ts'],
          outfile: 'cli/dist/mcp.js',
          plugins: [{ name: 'zod in English only', setup: leaveOutTranslations }],
        }),
        build({
          ...minified,
          entryPoints: ['cli/src/drawing/join-pdfs.ts'],
          outfile: 'cli/dist/join-pdfs.js',
          plugins: [{ name: 'pdf-lib without fonts', setup: leaveOutFonts }],
        }),
      ]);
      const client = join(root, 'cli/dist/deck.js');
      chmodSync(client, 0o755);
      writeFileSync(join(root, 'cli/dist/deck.1'), execFileSync(process.execPath, [client, 'help', '--man']));
      pack('cli', 'web/dist/deckhost.tgz');
    },
  },
};

const site = {
  // The site of a deploy, with the addresses of the deployed service, lacks this file.
  outputs: ['web/dist/.local', 'web/dist/index.html', 'web/dist/dashboard.html'],
  inputs: [
    ...tools,
    // The dashboard contains the client library.
    ...library,
    'web/build.mjs',
    'web/dashboard',
    'web/docs',
    'web/package-lock.json',
    'web/site',
    'web/static',
    'web/style',
    'web/vite.config.mjs',
    'deploy/read-settings.mjs',
    'functions/src/house',
    'functions/runtime',
    'docs/api.md',
    'docs/commands.md',
    'docs/openapi.json',
    'docs/pictures',
  ],
};

/** Builds the site when its inputs changed since the last build. `npm start` answers meanwhile. */
export async function buildSite() {
  const { stale, state, stamp } = changeOf(site, new Map());
  if (!stale) return;
  await runScript('site.mjs');
  mkdirSync(join(root, '.build'), { recursive: true });
  writeFileSync(stamp, state);
}

/** Builds the named bundles as `buildChanged` does. `npm start` answers meanwhile. */
export async function buildBeside(names) {
  const found = new Map();
  if (names.some((name) => changeOf(bundles[name], found).stale)) await runScript('build.mjs', ...names);
}

/** Runs a script in another process. Rejects with what it printed when it fails. */
async function runScript(name, ...args) {
  // With a project in the environment, the site would call the deployed service.
  const env = { ...process.env, GCLOUD_PROJECT: undefined };
  const script = [join(root, 'scripts', name), ...args];
  const child = spawn(process.execPath, script, { stdio: ['ignore', 'ignore', 'pipe'], env });
  const [[code], printed] = await Promise.all([once(child, 'close'), text(child.stderr)]);
  if (code !== 0) throw new Error(`scripts/${name} has failed.\n${printed}`);
}

/** Node parses a whole file before it runs it. The server for agents is larger than the rest of the client. */
function loadLater({ onResolve }) {
  onResolve({ filter: /^\.\.\/mcp\/server\.js$/ }, () => ({ path: './mcp.js', external: true }));
  onResolve({ filter: /^\.\.\/drawing\/join-pdfs\.js$/ }, () => ({ path: './join-pdfs.js', external: true }));
}

/**
 * Pages are copied with their own fonts and pictures. The fonts and the PNG decoder of `pdf-lib` are half of its bytes.
 */
function leaveOutFonts({ onLoad }) {
  const contents = 'export const Font = {}, FontNames = {}, Encodings = {}; export default {};';
  onLoad({ filter: /[\\/]@pdf-lib[\\/](standard-fonts|upng)[\\/]/ }, () => ({ contents }));
}

/** As in functions/build.mjs: `zod` exports its texts in all languages in one object, which nothing uses. */
function leaveOutTranslations({ onLoad }) {
  const contents = "export { default as en } from './en.js';";
  onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents }));
}

/**
 * Builds the named bundles, or all, whose inputs changed since the last build, or of which a file is missing. Rejects
 * when a bundle does not compile; the compiler prints the reason.
 */
export async function buildChanged(names = Object.keys(bundles)) {
  // Bundles share inputs. Each path is looked at once.
  const found = new Map();
  const changed = names
    .map((name) => ({ ...bundles[name], ...changeOf(bundles[name], found) }))
    .filter(({ stale }) => stale);
  if (changed.length === 0) return;
  const esbuild = await import('esbuild');
  mkdirSync(join(root, '.build'), { recursive: true });
  await Promise.all(
    changed.map(async ({ build, stamp, state }) => {
      await build(esbuild);
      writeFileSync(stamp, state);
    }),
  );
  // The compiler is a separate process, which would keep running.
  await esbuild.stop();
}

/** Whether outputs are missing or older than the inputs, and the stamp to write after a build. */
function changeOf({ outputs, inputs }, found) {
  const state = stateOf(inputs, found);
  const stamp = join(root, '.build', `${outputs[0].replaceAll('/', '-')}.stamp`);
  const files = [...outputs.map((output) => join(root, output)), stamp];
  return { state, stamp, stale: !files.every((file) => existsSync(file)) || readFileSync(stamp, 'utf8') !== state };
}

/** A hash that changes when a file is added, removed or written. `found` keeps the files of each path. */
function stateOf(paths, found) {
  const hash = createHash('sha256');
  for (const path of paths) {
    if (!found.has(path)) found.set(path, filesUnder(path));
    for (const file of found.get(path)) hash.update(`${file}\n`);
  }
  return hash.digest('hex');
}

function filesUnder(path) {
  const stats = statSync(join(root, path));
  if (!stats.isDirectory()) return [`${path} ${stats.mtimeMs} ${stats.size}`];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => filesUnder(`${path}/${name}`));
}

// `npm run build` builds everything; with names, as in the predeploy step of firebase.json, only these bundles.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  await installMissing();
  await (names.length > 0 ? buildChanged(names) : Promise.all([buildChanged(), buildSite()]));
}
