// superstatic, the server of static files in Firebase's own tools: no tokens, no counts.
import superstatic from 'superstatic';
import { announce } from './announce.mjs';
import { folder } from './deck-files.mjs';

announce(superstatic.server({ cwd: folder, config: { public: '.' }, host: '127.0.0.1', port: 0 }).listen());
