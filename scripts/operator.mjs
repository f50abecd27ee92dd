// `npm run operator`: the operator's commands. `npm run operator -- --help` lists them.
import { run } from './run.mjs';

await run('operator');
