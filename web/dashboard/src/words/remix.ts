import { formatBytes, formatNumber } from '../format';
import { isolated } from '../isolated';
import { count } from './count';

/** The page that makes a remix of a listing. */
export const remix = {
  title: 'Remix a listing',
  by: (author: string) => `By ${isolated(author)}`,
  version: (version: number, files: number, bytes: number) =>
    `Version ${version}, ${count(files, 'file')}, ${formatBytes(bytes)}`,
  look: 'View the listing',
  files: 'The files that are copied',
  moreFiles: (number: number) => `and ${formatNumber(number)} more`,
  newTitle: 'Title of your deck',
  newTitleHint: 'You can change it later.',
  warningTitle: 'The copy contains the author’s scripts.',
  warning:
    'When somebody opens your deck, they can send its address, with the secret link, to any server. Read the scripts before you share the deck.',
  warningOnOrigin:
    'They cannot see your secret link, but they can send what is in the deck, and what people do in it, to any server. Read the scripts before you share the deck.',
  make: 'Remix',
  making: 'Copying the files …',
  made: 'The remix is now one of your decks.',
  gone: 'Browse the marketplace',
  notPublic: 'This listing is not public. Only public listings can be remixed.',
};
