// `npm run format`: installs missing packages, and formats the code.
import process from 'node:process';
import { installMissing } from './install.mjs';
import { root } from './root.mjs';

await installMissing([''], { dev: true });
process.chdir(root);
process.argv.push('--write', '.');
await import('prettier/bin/prettier.cjs');
