import { formatNumber } from '../format';
import { isolated } from '../isolated';
import { count } from './count';

const files = (number: number) => count(number, 'file');

/** What changed in the listing of which a deck is a remix. */
export const sourceWords = {
  about: (slug: string) => `This deck is a remix of ${isolated(slug)}.`,
  look: 'View the listing',
  loading: 'Comparing with the source …',
  changed: (number: number) => `${files(number)} changed in the source since your copy`,
  same: 'The source has nothing that your deck lacks',
  sameWhy: (version: number) => `It shows version ${formatNumber(version)}.`,
  versions: (from: number, to: number) =>
    from === to
      ? `Both are of version ${formatNumber(to)} of the source.`
      : `Your copy has version ${formatNumber(from)} of the source, which now shows version ${formatNumber(to)}.`,
  added: 'Added in the source',
  onlyThere: 'Changed in the source',
  removed: 'Removed in the source',
  both: 'Changed in both',
  bothWhy:
    'You and the source changed these files. Merge them in the folder of the deck: the next push of it publishes the result.',
  take: (number: number) => `Take ${files(number)}`,
  takeWhy: 'They become the next version of your deck. No file that you changed is touched.',
  taking: 'Copying the files …',
  taken: (version: number) => `Your deck has version ${formatNumber(version)}, with the changes of the source.`,
  nowMissing: 'removed',
  before: 'Before',
  after: 'In the source',
  gone: 'The source is not public any more',
  goneWhy: 'Its author or an operator took it out of the marketplace. Your deck stays as it is.',
};
