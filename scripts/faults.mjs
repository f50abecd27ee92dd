// `npm run faults`: plays faults of the backends and writes docs/faults.md.
import { runTest } from './run-test.mjs';

await runTest('test/functions/faults.long.test.ts', { UPDATE_FAULTS: '1' });
