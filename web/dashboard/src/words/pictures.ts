import { formatNumber } from '../format';
import { isolated } from '../isolated';
import { count } from './count';

/** The pictures of slides: beside figures, between versions, and whether a deck has them. */
export const pictures = {
  enlarge: (title: string) => `Enlarge “${isolated(title)}”`,
  column: 'Picture',

  strip: 'Slides',
  loading: 'Loading the slides …',
  noStrip: 'This version has no pictures of its slides. A push from a computer with Chrome draws them.',

  changes: 'Slides that look different',
  comparing: 'Comparing the slides …',
  changed: 'Changed',
  added: 'New',
  removed: 'Removed',
  ofVersion: (title: string, version: number) => `${isolated(title)}, version ${formatNumber(version)}`,
  notIn: (version: number) => `Not in version ${formatNumber(version)}`,
  same: 'No slide looks different.',
  others: (number: number) => `${count(number, 'slide')} unchanged`,
  more: (number: number) => `Show ${formatNumber(number)} more`,
  without: (version: number) =>
    `Version ${formatNumber(version)} has no pictures of its slides, so they cannot be compared.`,

  setting: 'Pictures of the slides',
  settingAbout:
    'A push draws each slide on your computer. The pictures stand here, beside your figures and between versions. ' +
    'Everybody sees the first slide in previews of links without a gate, and the first 12 in your listing.',
  keep: 'Keep a picture of each slide',
  keepHint: 'Without it the deck keeps only a picture that is one of its files.',
  stopTitle: 'Delete the pictures of all slides?',
  stopText: 'The pictures of all versions are deleted. They come back one version at a time, when you push again.',
  stopAction: 'Delete the pictures',
  stopped: 'The pictures of the slides are deleted.',
  kept: 'The next push draws pictures of the slides.',
};
