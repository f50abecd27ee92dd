import { testEveryDeck } from './conformance';
import { testPresenters } from './presenters';
import { testPrint, testPrintKey } from './print';
import { Setting } from './setting';
import { testSlides } from './slides';

const setting = Setting.startedFirst({ deckOrigin: true });
testEveryDeck(setting, ['origin', 'listing']);
testPresenters(setting, 'origin');
testSlides(setting);
testPrint(setting);
testPrintKey(setting, 'listing');
