// Writes docs/api.md and docs/openapi.json from the endpoints.
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
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
const { openapi, markdown } = createRequire(import.meta.url)(outfile).apiReference();
writeFileSync(join(root, 'docs/openapi.json'), openapi);
writeFileSync(join(root, 'docs/api.md'), markdown);
