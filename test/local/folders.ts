import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder in the temporary folder of the test file, which environment.cjs deletes. */
export const aFolder = () => mkdtempSync(join(tmpdir(), 'local-test-'));
