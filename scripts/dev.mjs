// `npm run dev`: serves the dashboard with live reload, beside a running `npm start`, which answers everything else.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installMissing } from './install.mjs';
import { root } from './root.mjs';

installMissing(['client', 'web']);
const web = join(root, 'web');
const vite = [join(web, 'node_modules/vite/bin/vite.js'), ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, vite, { cwd: web, stdio: 'inherit' }).status ?? 1;
