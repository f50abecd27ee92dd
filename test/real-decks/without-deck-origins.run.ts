import { testEveryDeck } from './conformance';

testEveryDeck({ deckOrigin: false, forms: ['framed'] });
