// `npm run emulators`: installs missing packages, builds changed bundles, and runs Firebase's official emulators.
import { run } from './run.mjs';

await run('emulators');
