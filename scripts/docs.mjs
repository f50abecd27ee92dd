// Writes docs/api.md, docs/openapi.json and docs/resources.md from the endpoints, docs/commands.md from the commands of
// the client, the table of ARCHITECTURE.md from
// rooms.mjs, the tables of docs/deploy.md from the deploy, and docs/cold-start.md from the bundles of the functions.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { runtimeAsIs } from '../functions/runtime/as-is.cjs';
import { architectureTable } from '../rooms.mjs';
import { buildChanged } from './build.mjs';
import { root } from './root.mjs';

/** Bundles a module and loads it. */
async function load(entry, name) {
  const outfile = join(root, `.build/${name}.cjs`);
  const options = { absWorkingDir: root, bundle: true, platform: 'node', logLevel: 'warning', plugins: [runtimeAsIs] };
  await build({ ...options, entryPoints: [entry], outfile });
  return createRequire(import.meta.url)(outfile);
}

const { openapi, markdown, resources } = (await load('functions/reference/index.ts', 'reference')).apiReference();
writeFileSync(join(root, 'docs/openapi.json'), openapi);
writeFileSync(join(root, 'docs/api.md'), markdown);
writeFileSync(join(root, 'docs/resources.md'), resources);

const { commandsPage } = await load('cli/src/help/commands-page.ts', 'commands-page');
writeFileSync(join(root, 'docs/commands.md'), await commandsPage());

const architecture = join(root, 'ARCHITECTURE.md');
const table = `<!-- rooms -->\n\n${architectureTable()}\n\n<!-- /rooms -->`;
const text = readFileSync(architecture, 'utf8').replace(/<!-- rooms -->[^]*<!-- \/rooms -->/, () => table);
writeFileSync(architecture, text);

const deploy = join(root, 'docs/deploy.md');
const { withTables } = await load('deploy/reference.ts', 'deploy-reference');
writeFileSync(deploy, withTables(readFileSync(deploy, 'utf8')));

await buildChanged();
const loaded = JSON.parse(
  execFileSync(process.execPath, [join(root, 'scripts/loaded-code.mjs')], { encoding: 'utf8' }),
);
writeFileSync(
  join(root, 'docs/cold-start.md'),
  `# What a start loads

\`npm run docs\` measures and writes this file. An instance reads the files and evaluates the modules before it can
answer. \`test/functions/cold-start.test.ts\` fails when a function loads 3 % more. Decision 37 gives the reasons.

| function | modules of the service | modules of packages | files in lib/ | KB |
|---|--:|--:|---|--:|
${Object.entries(loaded)
  .map(([name, { files, bytes, own, ofPackages }]) => {
    return `| ${[name, own, ofPackages, files.join(', '), Math.round(bytes / 1000)].join(' | ')} |\n`;
  })
  .join('')}`,
);
