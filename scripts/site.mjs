// Installs the packages of the site when they are missing, and builds it. `npm start` runs this beside the local cloud,
// so that its first answer waits for neither.
import { installMissing } from './install.mjs';

// The dashboard contains the client library, and rules of the functions, with their packages.
await installMissing(['', 'web']);
await import('../web/build.mjs');
