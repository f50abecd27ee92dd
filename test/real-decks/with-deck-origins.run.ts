import { testEveryDeck } from './conformance';

testEveryDeck({ deckOrigin: true, forms: ['origin', 'listing'] });
