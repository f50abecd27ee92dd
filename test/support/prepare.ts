import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../functions/reference/openapi';
import * as runtime from '../../functions/runtime/bundle.cjs';
import { buildBundles } from './bundles';

/**
 * Makes what most test files need once for all of them: the API reference, and the runtime, which jest.config.js puts
 * in the place of functions/runtime/bundle.cjs. Each file would take half a second of processor time for both.
 * The function `mcp` loads a bundle, here too.
 */
export default function prepare(): void {
  // The workers and the processes that tests start inherit it. Without it, Google's libraries look for a metadata
  // server.
  process.env['METADATA_SERVER_DETECTION'] = 'none';
  buildBundles('functions');
  const folder = join(__dirname, '../../.build/test');
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: unknown) => {
    // Another run of jest may read the file at the same time.
    const written = join(folder, `${name}.${process.pid}`);
    writeFileSync(written, JSON.stringify(content));
    renameSync(written, join(folder, name));
  };
  write('openapi.json', openApiDocument());
  write('runtime.json', { ...runtime });
}
