// `npm run emulators`: installs missing packages, builds what has changed, and runs Firebase's official emulators.
import { run } from './run.mjs';

await run('emulators', { needs: ['functions'], later: ['client', 'cli'] });
