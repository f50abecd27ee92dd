import { formatCompact, formatNumber } from '../format';
import { isolated } from '../isolated';

const one = new Intl.PluralRules('en');
const count = (value: number, singular: string, plural: string) =>
  `${formatCompact(value)} ${one.select(value) === 'one' ? singular : plural}`;

/** The listing of a deck in the marketplace. */
export const deckListing = {
  about: 'Anyone can find, open, star and remix a listed deck.',
  aboutVersion: 'A listing shows one version. Later versions do not change it until you update it.',
  kind: 'Kind',
  kinds: { presentation: 'Presentation', app: 'App', plan: 'Plan' },
  title: 'Title',
  description: 'Description',
  descriptionHint: 'What the deck is, in one or two lines.',
  category: 'Category (optional)',
  tags: 'Tags (optional)',
  tagsHint: 'Up to 20, separated by commas: “deep learning, finance” becomes deep-learning and finance.',
  more: 'More (optional)',
  stack: 'Technologies (optional)',
  stackHint: 'What the deck is made with, separated by commas: reveal.js, three.js',
  slug: 'Address (optional)',
  slugHint: 'The last part of its address, which never changes. Left empty, it is made from the title.',
  version: 'Version',
  versionOf: (version: number, isCurrent: boolean) => `Version ${formatNumber(version)}${isCurrent ? ', current' : ''}`,
  interactive: 'Interactive: visitors click or type in it',
  preview: 'Preview',
  noDescription: 'Your description appears here.',
  publish: 'Publish in the marketplace',
  published: 'The deck is in the marketplace.',
  update: 'Update listing',
  updated: 'The listing is updated.',
  unlist: 'Unlist',
  unlisted: 'The deck is no longer listed. Its address still works.',
  list: 'List again',
  relisted: 'The deck is listed again.',
  isPublic: 'Listed',
  isUnlisted: 'Not listed',
  isTakenDown: 'Taken down',
  takenDownWhy: (reason: string) => `An operator of the service took the listing down: ${isolated(reason)}`,
  open: 'Open the listing',
  older: (shown: number, current: number) =>
    `The listing shows version ${formatNumber(shown)}. The current version is ${formatNumber(current)}.`,
  showCurrent: 'Show the current version',
  stars: (value: number) => count(value, 'star', 'stars'),
  remixes: (value: number) => count(value, 'remix', 'remixes'),
  loading: 'Loading the listing …',
};
