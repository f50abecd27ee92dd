import { formatCompact, formatNumber } from '../format';
import { isolated } from '../isolated';
import { count } from './count';

/** The list of decks. */
export const decks = {
  title: 'Decks',
  about: (decks: number) => count(decks, 'deck'),
  newDeck: 'New deck',
  search: 'Search by title',
  sort: 'Sort by',
  sorts: { changed: 'Last changed', title: 'Title', views: 'Most viewed', viewed: 'Last viewed' },
  show: 'Show',
  shows: { all: 'All', own: 'Mine', shared: 'Shared with me' },
  loading: 'Loading your decks …',
  noneTitle: 'Publish your first deck',
  none: 'Drop a folder or a zip file with HTML slides, and get a link to send.',
  noneCommand: 'Prefer a terminal?',
  noneShared: 'Nobody has shared a deck with you yet. Decks appear here when somebody invites you to edit them.',
  noneOwn: 'You have no decks of your own yet.',
  noMatch: (text: string) => `No deck has “${isolated(text)}” in its title.`,
  clear: 'Show all decks',
  version: (version: number) => `Version ${formatNumber(version)}`,
  views: (views: number) => count(views, 'view', { format: formatCompact }),
  links: (links: number) => count(links, 'link'),
  changed: 'Changed',
  opened: 'Opened',
  copyLink: (title: string) => `Copy the link of ${isolated(title)}`,
  found: (decks: number) => `${count(decks, 'deck')} found`,
};
