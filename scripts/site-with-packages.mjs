// The predeploy of the hosting (firebase.json): builds the site with the packages that it offers, so that `firebase
// deploy` uploads them also from a fresh clone. `npm start` makes only deckhost.tgz: the types of the library take much
// longer.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { installMissing } from './install.mjs';
import { root } from './root.mjs';

await installMissing([''], { dev: true });
// It builds what has changed first, deckhost.tgz among them.
const library = ['scripts/pack-client.mjs', 'web/dist/deckhost-client.tgz'];
execFileSync(process.execPath, library, { cwd: root, stdio: 'inherit' });
execFileSync(process.execPath, [join(root, 'scripts/site.mjs')], { stdio: 'inherit' });
