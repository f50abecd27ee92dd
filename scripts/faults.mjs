// `npm run faults`: installs missing packages, plays faults of the backends and writes docs/faults.md.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installFramework, installMissing } from './install.mjs';
import { root } from './root.mjs';

await installMissing([''], { dev: true });
await installFramework();
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const { status } = spawnSync(process.execPath, [jest, '--silent', 'test/functions/faults.long.test.ts'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, UPDATE_FAULTS: '1' },
});
process.exitCode = status ?? 1;
