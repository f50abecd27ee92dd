import { isolated } from '../isolated';

/** What happened in the organization. */
export const activity = {
  title: 'Activity',
  about: 'What happened with your decks, links and keys in the last 30 days, and who did it.',
  list: 'Events, newest first',
  loading: 'Loading what happened …',
  filter: 'Filter',
  type: 'Type',
  allTypes: 'All types',
  deck: 'Deck',
  allDecks: 'All decks',
  otherDeck: 'A deck that is not in your list',
  more: 'Show older events',
  noneTitle: 'Nothing happened yet',
  none: 'Publish a deck or open a link: each change and each visit appears here, with who made it.',
  noneHere: 'Nothing of this kind happened in the last 30 days.',
  clear: 'Show everything',
  places: { keys: 'API keys', settings: 'Settings', webhooks: 'Webhooks' },
  by: {
    you: 'by you',
    collaborator: 'by a collaborator',
    somebody: 'by another user',
    key: (name: string) => `by key “${isolated(name)}”`,
    reader: 'by a reader',
    known: (email: string) => `by ${isolated(email)}`,
    system: 'by the service',
  },
};
