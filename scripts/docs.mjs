// Writes docs/api.md and docs/openapi.json from the endpoints, docs/commands.md from the commands of the client, the
// table of ARCHITECTURE.md from rooms.mjs, the tables of docs/deploy.md from the deploy, and docs/stored-data.md from
// the records.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runtimeAsIs } from '../functions/runtime/as-is.cjs';
import { architectureTable } from '../rooms.mjs';
import { installMissing } from './install.mjs';
import { root } from './root.mjs';

await installMissing([''], { dev: true });
const { build } = await import('esbuild');
const { storedDataPage } = await import('./stored-data.mjs');

/** Bundles a module and loads it. */
async function load(entry, name) {
  const outfile = join(root, `.build/${name}.cjs`);
  const options = { absWorkingDir: root, bundle: true, platform: 'node', logLevel: 'warning', plugins: [runtimeAsIs] };
  await build({ ...options, entryPoints: [entry], outfile });
  return createRequire(import.meta.url)(outfile);
}

const { openapi, markdown } = (await load('functions/reference/index.ts', 'reference')).apiReference();
writeFileSync(join(root, 'docs/openapi.json'), openapi);
writeFileSync(join(root, 'docs/api.md'), markdown);

const { commandsPage } = await load('cli/src/help/commands-page.ts', 'commands-page');
writeFileSync(join(root, 'docs/commands.md'), await commandsPage());

const architecture = join(root, 'ARCHITECTURE.md');
const table = `<!-- rooms -->\n\n${architectureTable()}\n\n<!-- /rooms -->`;
const text = readFileSync(architecture, 'utf8').replace(/<!-- rooms -->[^]*<!-- \/rooms -->/, () => table);
writeFileSync(architecture, text);

const deploy = join(root, 'docs/deploy.md');
const { withTables } = await load('deploy/reference.ts', 'deploy-reference');
writeFileSync(deploy, withTables(readFileSync(deploy, 'utf8')));

const stored = await load('web/site/stored-data.ts', 'stored-data');
writeFileSync(join(root, 'docs/stored-data.md'), storedDataPage(root, stored));
