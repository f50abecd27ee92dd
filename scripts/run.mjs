import module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildChanged, buildSite } from './build.mjs';
import { installMissing } from './install.mjs';
import { root } from './root.mjs';

/** Installs missing packages, builds changed bundles, and runs a bundle. Exits with 1 when a bundle does not compile. */
export async function run(bundle) {
  installMissing();
  try {
    await Promise.all([buildChanged(), bundle === 'emulators' && buildSite()]);
  } catch (error) {
    console.error(`The build failed. ${error.message}`);
    process.exit(1);
  }
  // From Node 22 on, the next start reads the compiled code. Node writes it when the process ends.
  module.enableCompileCache?.(join(root, '.build', 'compiled'));
  createRequire(import.meta.url)(`../.build/${bundle}.js`);
  // The local cloud answers before the site is built: its Hosting looks for each file when it is asked for it.
  if (bundle === 'local') buildSite().catch((error) => console.error(error.message));
}
