import { isolated } from '../isolated';
import { count } from './count';

/** Uploading files: the page “New deck”, and the new version of a deck. */
export const push = {
  title: 'New deck',
  about: 'A folder, a zip archive, a PDF, pictures or an HTML file become a deck with a link to share.',
  drop: 'Drop a folder, a zip, a PDF, pictures or an HTML file here',
  dropVersion: 'Drop the new version here: a folder, a zip, a PDF, pictures or an HTML file',
  choose: 'Choose a folder, a zip, a PDF, pictures or an HTML file',
  folder: 'Choose a folder',
  file: 'Choose a file',
  left: 'Hidden files, node_modules and what .deckignore names are left out.',
  noSlides: 'No slides at hand?',
  remixOne: 'Remix a deck of the marketplace',
  whatIsADeck: 'What can be a deck?',
  reading: 'Reading the files …',
  interrupted: (name: string) => `The upload of “${isolated(name)}” was interrupted.`,
  interruptedNext: 'Drop the same files again. Only what is missing is sent.',
  forget: 'Forget it',
  check: (name: string) => (name ? `Ready to publish “${isolated(name)}”` : 'Ready to publish'),
  summary: (files: number, bytes: string) => `${count(files, 'file')}, ${bytes}`,
  deckTitle: 'Title',
  deckTitleHint: 'Everybody who opens the link sees it.',
  entry: 'The page that opens first',
  message: 'What changed',
  messageHint: 'Optional. A note for you and the people who edit the deck.',
  publish: 'Publish',
  publishVersion: 'Publish version',
  replaceTitle: (missing: string, held: string) => `Publish without ${missing} of the deck’s ${held} files?`,
  replaceText: (named: string[], others: string, version: string) =>
    `Your files do not include ${named.map(isolated).join(', ')}${others === '0' ? '' : ` and ${others} more`}. ` +
    `They disappear from the deck. Version ${version} keeps them, and you can restore it.`,
  replace: 'Publish anyway',
  again: 'Choose other files',
  tooManyFiles: (actual: string, limit: string) => `These are ${actual} files; your plan allows ${limit} in a deck.`,
  tooManyBytes: (actual: string, limit: string) => `These are ${actual}; your plan allows ${limit} in a deck.`,
  fileTooLarge: (path: string, actual: string, limit: string, isOfService: boolean) =>
    `${isolated(path)} has ${actual}; ${isOfService ? 'Deckhost takes' : 'your plan allows'} ${limit} in ${/\.x?html?$/i.test(path) ? 'an HTML file' : 'a file'}.`,
  exceeded: 'This is too much for one deck:',
  refused: (files: string, count: number) =>
    count === 1 ? 'One of the files cannot be part of a deck:' : `${files} of the files cannot be part of a deck:`,
  without: 'Publish without them',
  more: (count: string) => `and ${count} more`,
  stages: {
    hash: 'Comparing the files with what the service has …',
    upload: 'Uploading …',
    commit: 'Publishing …',
  },
  percent: (percent: string, done: string, all: string) => `${percent} · ${done} of ${all}`,
  filesToSend: 'Files to send',
  sent: 'sent',
  cancel: 'Cancel the upload',
  cancelled: 'The upload was cancelled. What was sent is kept for an hour.',
  conflict: (current: number) => `Somebody else has published version ${current}.`,
  conflictNext:
    'It is the first in the list below. If you publish yours now, it becomes the next version, and the links show it.',
  force: 'Publish mine anyway',
  done: (version: number) => (version === 1 ? 'Your deck is online' : `Version ${version} is online`),
  unchanged: (version: number) => `Nothing has changed since version ${version}`,
  link: 'Link',
  copyLink: 'Copy link',
  linkHint: 'Anyone who has the link can see the deck, without an account. You can revoke it at any time.',
  open: 'Open',
  toDeck: 'Go to the deck',
  another: 'Publish another deck',
  warnings: 'People who open the deck will miss this:',
  noPage: (name: string, isSingle: boolean) =>
    isSingle
      ? `“${isolated(name)}” is not an HTML file, a PDF or a picture.`
      : `There is no HTML file in ${name ? `“${isolated(name)}”` : 'what you chose'}.`,
  otherSlides: 'Deckhost does not read PowerPoint or Keynote files: export them as PDF, and drop the PDF.',
  failures: {
    'file-changed': 'Drop the files again, so that the page reads them as they are now.',
    'no-entry':
      'Choose a folder or a zip with an HTML file in it, a single HTML file, a PDF, or pictures. Tools that build slides often write them to “dist”.',
    'session-expired': 'Try again: an upload has to be finished within an hour.',
    'upload-lost': 'Try again. Files that were sent are not sent again.',
    'bad-path': 'Rename the file, then drop the files again.',
    'path-collision': 'Rename one of the two files, then drop the files again.',
    'unreadable-file': 'Check that you may read the file, then drop the files again.',
  } as Partial<Record<string, string>>,
};
