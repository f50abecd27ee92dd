// `npm run faults`: plays faults of the backends and writes docs/faults.md.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installMissing } from './install.mjs';
import { root } from './root.mjs';

installMissing();
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const { status } = spawnSync(process.execPath, [jest, '--silent', 'test/functions/faults.test.ts'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, UPDATE_FAULTS: '1' },
});
process.exitCode = status ?? 1;
