import { testEveryDeck } from './conformance';
import { testPresenters } from './presenters';
import { testPrint, testPrintKey } from './print';
import { Setting } from './setting';

const setting = Setting.startedFirst({ deckOrigin: true });
testEveryDeck(setting, ['origin', 'listing']);
testPresenters(setting, 'origin');
testPrint(setting);
testPrintKey(setting, 'listing');
