// Bundles the functions and their imports into lib/functions.js. An instance that loads one file starts about twice as
// fast as an instance that loads about 1 000 small files.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build, stop } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const bundle = `${here}lib/functions.js`;

await build({
  absWorkingDir: here,
  entryPoints: ['src/index.ts'],
  outfile: bundle,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // Identifiers are not minified: errors and logs show the names of functions.
  keepNames: true,
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
});
// esbuild runs in a child process. Without stop() the child runs as long as the process that imports this file.
await stop();

// Node applies the source maps of modules that it loads after this call, so the bundle is not the main file itself.
writeFileSync(
  `${here}lib/index.js`,
  `process.setSourceMapsEnabled(true);\nmodule.exports = require('./functions.js');\n`,
);
writeFileSync(`${bundle}.map`, JSON.stringify(withoutPackages(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')))));

// A deploy uploads the whole folder.
const made = ['index.js', 'functions.js', 'functions.js.map'];
for (const name of readdirSync(`${here}lib`))
  if (!made.includes(name)) rmSync(`${here}lib/${name}`, { recursive: true });

/** The source map for the files of the project. A map of all packages is 13 times as large, and Node reads it at start. */
function withoutPackages({ version, sources, mappings }) {
  const own = sources.filter((source) => source.startsWith('../src/'));
  const numbers = sources.map((source) => own.indexOf(source));
  const lines = decode(mappings).map((segments) =>
    segments
      // A segment without a source ends the code of the segment before it.
      .map(([column, source, ...place]) =>
        numbers[source] >= 0 ? [column, numbers[source], place[0], place[1]] : [column],
      )
      .filter((segment, i, all) => segment.length > 1 || all[i - 1]?.length > 1),
  );
  return { version, sources: own, names: [], mappings: encode(lines) };
}
