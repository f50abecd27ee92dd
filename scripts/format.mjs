// `npm run format`: installs missing packages, and formats the code.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installMissing } from './install.mjs';
import { root } from './root.mjs';

await installMissing([''], { dev: true });
const prettier = join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs');
const { status } = spawnSync(process.execPath, [prettier, '--write', '.'], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
