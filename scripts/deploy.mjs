// `npm run deploy -- --project <id>`: deploys the service and checks it. `npm run deploy -- --help` lists the options.
import { run } from './run.mjs';

// The deploy reads from the built functions what it deploys.
await run('deploy', { needs: ['functions'] });
