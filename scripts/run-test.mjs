import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installFramework, installMissing } from './install.mjs';
import { root } from './root.mjs';

/** Installs missing packages and runs a test file that writes a document. The exit code is that of jest. */
export async function runTest(file, environment) {
  await installMissing([''], { dev: true });
  await installFramework();
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const { status } = spawnSync(process.execPath, [jest, '--silent', file], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  process.exitCode = status ?? 1;
}
