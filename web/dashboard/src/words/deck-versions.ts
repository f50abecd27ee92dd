import { formatBytes, formatNumber } from '../format';
import { isolated } from '../isolated';
import { count } from './count';

const files = (number: number) => count(number, 'file');

/** The versions of a deck and their comparison. */
export const deckVersions = {
  about: 'Each time you publish, the deck gets a version. A version never changes.',
  list: 'Versions, newest first',
  loading: 'Loading the versions …',
  publish: 'Publish a new version',
  current: 'Current',
  restoredFrom: (version: number) => `Restored from version ${formatNumber(version)}`,
  firstVersion: 'First version',
  noMessage: 'No message',
  by: (name: string) => `by ${isolated(name)}`,
  size: (number: number, bytes: number) => `${files(number)}, ${formatBytes(bytes)}`,
  actions: (version: number) => `Actions for version ${formatNumber(version)}`,
  look: 'Open',
  noWindow: 'The browser did not let the page open a window. Allow windows of this page and try again.',
  compare: 'Compare with the version before',
  compareCurrent: 'Compare with the current version',
  restore: 'Restore',
  restoreTitle: (version: number) => `Restore version ${formatNumber(version)}?`,
  restoreText: (version: number, next: number) =>
    `The files of version ${formatNumber(version)} become version ${formatNumber(next)}, and links that follow the ` +
    `latest version show them. No version is lost.`,
  restored: (from: number, version: number) =>
    `Version ${formatNumber(from)} is restored as version ${formatNumber(version)}.`,
  download: 'Download as a zip file',
  downloading: (version: number) => `Downloading version ${formatNumber(version)} …`,
  downloaded: (name: string) => `${isolated(name)} is ready.`,
  pin: 'Add a link to this version',
  linkName: (version: number) => `Version ${formatNumber(version)}`,
  pinned: (version: number) => `A link to version ${formatNumber(version)} is ready and copied.`,
  pinnedOnly: (version: number) => `A link to version ${formatNumber(version)} is ready.`,
  more: 'Show older versions',
  shown: (shown: number, all: number) => `${formatNumber(shown)} of ${formatNumber(all)}`,

  changes: (from: number, to: number) => `From version ${formatNumber(from)} to version ${formatNumber(to)}`,
  comparing: 'Comparing …',
  same: 'Both versions have the same files.',
  added: 'Added',
  changed: 'Changed',
  removed: 'Removed',
  renamed: 'Renamed',
  unchanged: (number: number) => `${files(number)} unchanged`,
  sizes: (from: number, to: number) => (from === to ? formatBytes(to) : `${formatBytes(from)} → ${formatBytes(to)}`),
  line: (from: number, to: number) => `Line ${formatNumber(from)} → ${formatNumber(to)}`,
  sameLines: 'No line differs.',
  moreLines: (number: number) => `and ${formatNumber(number)} more lines`,
  tooDifferent: 'The two files are too different to be compared line by line.',
  moreFiles: (number: number) => `and ${files(number)} more`,
};
