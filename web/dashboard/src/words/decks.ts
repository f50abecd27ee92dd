export const decks = {};
