export const BUCKET = 'demo-decks.firebasestorage.app';
