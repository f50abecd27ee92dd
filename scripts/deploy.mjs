// `npm run deploy -- --project <id>`: deploys the service and checks it. `npm run deploy -- --help` lists the options.
import { run } from './run.mjs';

await run('deploy');
