import { startWorld, succeed, world, type Account, type Deck } from '../../support/world';

/** Each test has an owner with a deck, whose link gets a gate. */

export let owner: Account;
export let deck: Deck;

/** Starts the world before the tests of this file. */
export function startGatedDeck(): void {
  startWorld();
  beforeEach(async () => {
    owner = await world.anOwner('pro');
    deck = await world.aDeck(owner, undefined, 'Secret title');
  });
}

export const set = (rules: object) => {
  const { presentationId, tokenId } = deck;
  return succeed(world.call('updateShareToken', { presentationId, tokenId, ...rules }, { key: owner.key }));
};
