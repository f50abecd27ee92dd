// Writes docs/api.md and docs/openapi.json from the endpoint objects.
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './root.mjs';

const require = createRequire(import.meta.url);
const outfile = join(root, '.build/endpoints.cjs');

await build({
  absWorkingDir: root,
  stdin: {
    contents: `export * as functions from './functions/src/index'; export { errorTable } from './functions/src/errors';`,
    resolveDir: root,
  },
  outfile,
  bundle: true,
  platform: 'node',
  logLevel: 'warning',
});
const { functions, errorTable } = require(outfile);
const { openapi, markdown } = require('./api-reference.cjs').apiReference(functions, errorTable);
writeFileSync(join(root, 'docs/openapi.json'), openapi);
writeFileSync(join(root, 'docs/api.md'), markdown);
