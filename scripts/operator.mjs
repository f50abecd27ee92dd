// `npm run operator`: what only an operator may do; see `npm run operator -- --help`.
import { createRequire } from 'node:module';
import { buildChanged } from './build.mjs';
import { installMissing } from './install.mjs';

installMissing();
await buildChanged();
createRequire(import.meta.url)('../.build/operator.js');
