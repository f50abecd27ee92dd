// `npm run pack:client -- [file]`: packs the client library, and prints where. A relative path begins at the root of
// the repository.
import { installMissing } from './install.mjs';
import { pack } from './pack.mjs';

await installMissing([''], { dev: true });
await import('./client-types.mjs');
console.log(pack('client', process.argv[2] ?? '.build/deckhost-client.tgz'));
