// `npm run deploy -- --project <id>`: deploys the service and checks it. `npm run deploy -- --help` lists the options.
import { createRequire } from 'node:module';
import { buildChanged } from './build.mjs';
import { installMissing } from './install.mjs';

installMissing();
await buildChanged();
createRequire(import.meta.url)('../.build/deploy.js');
