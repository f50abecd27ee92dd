// `npm run operator`: the operator's commands. `npm run operator -- --help` lists them.
import { createRequire } from 'node:module';
import { buildChanged } from './build.mjs';
import { installMissing } from './install.mjs';

installMissing();
await buildChanged();
createRequire(import.meta.url)('../.build/operator.js');
