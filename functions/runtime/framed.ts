/** The script of decks in a frame with an opaque origin. */
import { attempt } from './attempt';
import { joinFrom } from './join';
import { start } from './start';
import { runWorkersFromBlobs } from './workers';

start(joinFrom(() => location.href.replace(/[^/]+\/_[fg]\/.*/s, '_deck/live.js')));
if (self.origin === 'null') attempt(() => runWorkersFromBlobs());
