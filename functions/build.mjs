// Bundles the functions into lib/. What an instance loads decides how fast it starts, so a function evaluates only the
// modules that it needs, and a large package is a file that is loaded when it is first used.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';
import { runtimeAsText } from './runtime/as-text.cjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const require = createRequire(import.meta.url);

/** The packages of each file of packages. They share a file when they share classes or most of their code. */
const packageFiles = {
  google: [
    ...['app', 'app-check', 'auth', 'firestore', 'storage'].map((part) => `firebase-admin/${part}`),
    '@grpc/grpc-js',
  ],
  'google-auth': ['google-auth-library'],
  parse5: ['parse5'],
  preact: ['preact', 'preact/jsx-runtime', 'preact-render-to-string'],
  resend: ['resend'],
  transliteration: ['transliteration'],
};

/** What the service uses of packages from which esbuild can leave out the rest. */
const usedNames = { parse5: ['Tokenizer', 'TokenizerMode'] };

/**
 * The functions that JSX calls for each element. esbuild calls the exports of an ES module by their names, in 11 KB
 * less.
 */
const JSX = `export const jsx = (...all) => load().jsx(...all);
  export const jsxs = (...all) => load().jsxs(...all);
  export const Fragment = ({ children }) => children;`;

const common = {
  absWorkingDir: here,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // Identifiers are not minified: errors and logs show the names of functions.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
};

const ownFile = 'functions.js';
const mapFile = `${ownFile}.map`;

await Promise.all([
  build({
    ...common,
    stdin: { contents: functionsSource(), resolveDir: `${here}src`, sourcefile: 'functions.js' },
    outfile: `lib/${ownFile}`,
    // The decoder of pictures has a compiled library for each platform. functions/package.json names it.
    external: ['sharp'],
    sourcemap: true,
    sourcesContent: false,
    plugins: [
      { name: 'packages at their first use', setup: loadPackagesLater },
      { name: 'zod in English only', setup: leaveOutTranslations },
      // The functions do not serve the home page.
      runtimeAsText('outer', 'linked', 'framed', 'live', 'browse', 'listing'),
    ],
  }),
  // The function `mcp` loads the tools of the command-line client: see agents/server.cjs.
  build({
    ...common,
    entryPoints: ['../cli/src/mcp/http.ts'],
    outfile: 'lib/agents.js',
    // It draws and prints nothing: that is done on the computers of users.
    external: ['../drawing/join-pdfs.js'],
    plugins: [{ name: 'zod in English only', setup: leaveOutTranslations }, runtimeAsText()],
  }),
  ...Object.entries(packageFiles).map(([file, packages]) =>
    build({
      ...common,
      stdin: { contents: packagesSource(packages), resolveDir: here },
      outfile: `lib/${file}.js`,
      // Packages read the names of their classes. The bundle renames classes whose names collide.
      keepNames: true,
    }),
  ),
]);
writeFileSync(
  `${here}lib/${mapFile}`,
  JSON.stringify(withoutPackages(JSON.parse(readFileSync(`${here}lib/${mapFile}`, 'utf8')))),
);
// A deployed instance has the compiled code of the bundles: see compile.cjs. Node reads it from 22.8 on. A version that
// knows the variable also reads it after the folder has moved. Compiled code only saves time, so an instance also
// starts when Node refuses it.
writeFileSync(
  `${here}lib/index.js`,
  `const directory = \`\${__dirname}/compiled\`;
if (require('node:fs').existsSync(directory)) {
  process.env.NODE_COMPILE_CACHE_PORTABLE = '1';
  try {
    require('node:module').enableCompileCache?.(directory);
  } catch {}
}
module.exports = require('./${ownFile}');
`,
);

// A deploy uploads the whole folder.
const made = ['index.js', 'agents.js', ownFile, mapFile, ...Object.keys(packageFiles).map((file) => `${file}.js`)];
for (const name of readdirSync(`${here}lib`))
  if (!made.includes(name)) rmSync(`${here}lib/${name}`, { recursive: true });

/**
 * The functions that src/index.ts exports, as properties that load a function when they are read: the platform reads
 * the one that the instance serves. esbuild evaluates a module that is required when it is required.
 */
function functionsSource() {
  const exported = readFileSync(`${here}src/index.ts`, 'utf8').matchAll(/^export \{ (\w+) \} from '(.*)';$/gm);
  const properties = [...exported].map(([, name, path]) => `get ${name}() { return require('${path}').${name}; }`);
  return `module.exports = {\n${properties.join(',\n')}\n};`;
}

/** Packages as properties that load a package when they are read. A package with used names is alone in its file. */
function packagesSource(packages) {
  const [first] = packages;
  const used = usedNames[first];
  if (used) return `import { ${used} } from '${first}';\nexport const ${first} = { ${used} };`;
  const properties = packages.map((name) => `get '${name}'() { return require('${name}'); }`);
  return `module.exports = {\n${properties.join(',\n')}\n};`;
}

/** Replaces each package that has a file by an object whose properties load the file when they are read. */
function loadPackagesLater({ onResolve, onLoad }) {
  const namesOf = (name) => usedNames[name] ?? Object.keys(require(name));
  const fileOf = (name) => Object.keys(packageFiles).find((file) => packageFiles[file].includes(name));
  const names = new RegExp(`^(${Object.values(packageFiles).flat().join('|')})$`);
  onResolve({ filter: names }, ({ path }) => ({ path, namespace: 'later' }));
  onResolve({ filter: /^\.\/[\w-]+\.js$/, namespace: 'later' }, ({ path }) => ({ path, external: true }));
  onLoad({ filter: names, namespace: 'later' }, ({ path }) => ({
    contents: `let loaded;
      const load = () => (loaded ??= require('./${fileOf(path)}.js')['${path}']);
      ${path === 'preact/jsx-runtime' ? JSX : `module.exports = { ${namesOf(path).map((each) => `get ${each}() { return load().${each}; }`)} };`}`,
  }));
}

/**
 * Leaves out the texts of zod in other languages, which an instance would parse. `zod` exports them in one object, so
 * esbuild cannot tell that they are not used.
 */
function leaveOutTranslations({ onLoad }) {
  const contents = "export { default as en } from './en.js';";
  onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents }));
}

/**
 * The source map for the files of the project. A map of all packages is 13 times as large. A segment of a map says
 * where the code from its column on comes from. A segment that has only a column says that the code has no source.
 */
function withoutPackages({ version, sources, mappings }) {
  const own = sources.filter((source) => source.startsWith('../src/'));
  const numbers = sources.map((source) => own.indexOf(source));
  const lines = decode(mappings).map((segments) =>
    segments
      .map(([column, source, line, sourceColumn]) =>
        numbers[source] >= 0 ? [column, numbers[source], line, sourceColumn] : [column],
      )
      // One segment without a source is enough for all of the code until the next segment with a source.
      .filter((segment, i, all) => segment.length > 1 || all[i - 1]?.length > 1),
  );
  return { version, sources: own, names: [], mappings: encode(lines) };
}
