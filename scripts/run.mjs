import module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildBeside, buildChanged, buildSite } from './build.mjs';
import { installMissing } from './install.mjs';
import { root } from './root.mjs';

/**
 * Installs missing packages, builds what the bundle needs and has changed, and runs it. Exits with 1 when that does not
 * compile. `later` is built while the bundle runs; the local cloud looks for each file when it is asked for it.
 */
export async function run(bundle, { needs = [], later = [] } = {}) {
  await installMissing();
  try {
    await buildChanged([bundle, ...needs]);
  } catch (error) {
    console.error(`The build failed. ${error.message}`);
    process.exit(1);
  }
  // From Node 22 on, the next start reads the compiled code. Node writes it when the process ends.
  module.enableCompileCache?.(join(root, '.build', 'compiled'));
  createRequire(import.meta.url)(`../.build/${bundle}.js`);
  if (later.length === 0) return;
  await Promise.all([buildBeside(later), buildSite()]).catch((error) => console.error(error.message));
}
