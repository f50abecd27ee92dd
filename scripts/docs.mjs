// Writes docs/api.md, docs/openapi.json and docs/resources.md from the endpoints, and the table of ARCHITECTURE.md from rooms.mjs.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { architectureTable } from '../rooms.mjs';
import { root } from './root.mjs';

const outfile = join(root, '.build/reference.cjs');
await build({
  absWorkingDir: root,
  entryPoints: ['functions/reference/index.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  logLevel: 'warning',
});
const { openapi, markdown, resources } = createRequire(import.meta.url)(outfile).apiReference();
writeFileSync(join(root, 'docs/openapi.json'), openapi);
writeFileSync(join(root, 'docs/api.md'), markdown);
writeFileSync(join(root, 'docs/resources.md'), resources);

const architecture = join(root, 'ARCHITECTURE.md');
const table = `<!-- rooms -->\n\n${architectureTable()}\n\n<!-- /rooms -->`;
const text = readFileSync(architecture, 'utf8').replace(/<!-- rooms -->[^]*<!-- \/rooms -->/, () => table);
writeFileSync(architecture, text);
