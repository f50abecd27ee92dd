// `npm run dev`: serves the dashboard with live reload, beside a running `npm start`, which answers everything else.
// Its options are those of Vite.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installMissing } from './install.mjs';
import { root } from './root.mjs';

// The dashboard contains the client library, and rules of the functions, with their packages.
await installMissing(['', 'web']);
const web = join(root, 'web');
process.chdir(web);
await import(pathToFileURL(join(web, 'node_modules/vite/bin/vite.js')).href);
