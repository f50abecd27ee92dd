import { testEveryDeck } from './conformance';
import { testPresenters } from './presenters';
import { testPrintKey } from './print';
import { Setting } from './setting';

const setting = Setting.startedFirst({ deckOrigin: false });
testEveryDeck(setting, ['framed']);
testPresenters(setting, 'framed');
testPrintKey(setting, 'framed');
