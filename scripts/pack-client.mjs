// `npm run pack:client -- [file]`: packs the client library, and prints where. A relative path begins at the root of
// the repository.
import './client-types.mjs';
import { pack } from './pack.mjs';

console.log(pack('client', process.argv[2] ?? '.build/deckhost-client.tgz'));
