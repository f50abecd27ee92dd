// `npm run emulators`: installs missing packages, builds changed bundles, and runs Firebase's official emulators.
import { createRequire } from 'node:module';
import { buildChanged } from './build.mjs';
import { installMissing } from './install.mjs';

installMissing();
try {
  await buildChanged();
} catch (error) {
  console.error(`The build failed. ${error.message}`);
  process.exit(1);
}
createRequire(import.meta.url)('../.build/emulators.js');
