import { formatNumber } from '../format';
import { isolated } from '../isolated';
import { count } from './count';

/** Presenting live. */
export const liveWords = {
  title: 'Present live',
  about: 'All who open the link of your audience follow your slides. They may look around, and come back.',
  loading: 'Looking for a live session …',
  link: 'Link of the audience',
  newLink: 'A new link',
  start: 'Start',
  open: 'Open your page',
  openWhy: 'Present there. Its address is secret: who has it moves the decks of all others.',
  alone: 'No page presents yet.',
  waiting: 'Your page is open, and no slide was shown yet.',
  at: (index: number, count: number | null, title: string | null) =>
    `Slide ${formatNumber(index + 1)}${count === null ? '' : ` of ${formatNumber(count)}`}` +
    (title ? `: ${isolated(title)}` : ''),
  follow: (number: number) => `${count(number, 'reader')} ${number === 1 ? 'follows' : 'follow'}.`,
  audience: 'Your audience',
  audienceQr: 'QR code of the link of your audience',
  phone: 'Your phone as a remote control',
  phoneQr: 'QR code of your own page: keep it secret',
  phoneWhy: 'Scan it with your phone. Do not show it to others: it moves the decks of all.',
  end: 'End the session',
  ended: 'The live session has ended.',
};
