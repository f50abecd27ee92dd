// `npm run costs`: measures the costs of every endpoint and writes docs/costs.md.
import { runTest } from './run-test.mjs';

await runTest('test/functions/endpoints/costs.test.ts', { UPDATE_COSTS: '1' });
