// `npm start`: installs missing packages, builds changed bundles, and runs the local cloud.
import { run } from './run.mjs';

await run('local');
