import { formatBytes, formatNumber } from '../format';
import { isolated } from '../isolated';

/** The page that makes a remix of a listing. */
export const remix = {
  title: 'Remix a listing',
  by: (author: string) => `By ${isolated(author)}`,
  version: (version: number, files: number, bytes: number) =>
    `Version ${version}, ${files === 1 ? '1 file' : `${formatNumber(files)} files`}, ${formatBytes(bytes)}`,
  look: 'View the listing',
  files: 'The files that are copied',
  moreFiles: (count: number) => `and ${formatNumber(count)} more`,
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
