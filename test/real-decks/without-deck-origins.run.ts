import { testEveryDeck } from './conformance';
import { testLive } from './live';
import { testPresenters } from './presenters';
import { testPrintKey } from './print';
import { Setting } from './setting';

const setting = Setting.startedFirst({ deckOrigin: false });
testEveryDeck(setting, ['framed']);
testPresenters(setting, 'framed');
testLive(setting, 'framed');
testPrintKey(setting, 'framed');
