/** The script of decks in a frame with an opaque origin. */
import { attempt } from './attempt';
import { observe } from './seen';
import { start } from './start';
import { runWorkersFromBlobs } from './workers';

start(observe);
if (self.origin === 'null') attempt(() => runWorkersFromBlobs());
