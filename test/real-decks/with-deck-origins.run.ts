import { testEveryDeck } from './conformance';
import { testLive, testLiveSpeakers } from './live';
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
testLive(setting, 'origin');
testLiveSpeakers(setting);
