// `npm start`: installs missing packages, builds changed bundles, and runs the local cloud.
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
createRequire(import.meta.url)('../.build/local.js');
