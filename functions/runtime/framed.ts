/** The script of decks in a frame with an opaque origin. */
import { attempt } from './attempt';
import { start } from './start';
import { runWorkersFromBlobs } from './workers';

start();
if (self.origin === 'null') attempt(() => runWorkersFromBlobs());
