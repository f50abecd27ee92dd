import { createRequire } from 'node:module';
import { buildChanged } from './build.mjs';
import { installMissing } from './install.mjs';

/** Installs missing packages, builds changed bundles, and runs a bundle. Exits with 1 when a bundle does not compile. */
export async function run(bundle) {
  installMissing();
  try {
    await buildChanged();
  } catch (error) {
    console.error(`The build failed. ${error.message}`);
    process.exit(1);
  }
  createRequire(import.meta.url)(`../.build/${bundle}.js`);
}
