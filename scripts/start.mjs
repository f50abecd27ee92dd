// `npm start`: installs missing packages, builds what has changed, and runs the local cloud.
import { run } from './run.mjs';

await run('local', { needs: ['functions'], later: ['client', 'cli'] });
