import { formatDayAndYear, formatNumber } from '../format';
import { isolated } from '../isolated';
import { count } from './count';

/** What readers did with a deck, and with all decks. */
export const insights = {
  about: 'Who looked at this deck, for how long, and where they stopped. Only you see this.',
  countOnly:
    'This deck only counts how often it is opened. Nothing about its readers is recorded, so nothing new appears here.',
  toTracking: 'Change that in the settings',
  loading: 'Loading the figures …',

  filter: 'Filter',
  span: 'Time span',
  spans: { '7': '7 days', '30': '30 days', '90': '90 days', own: 'Other' },
  from: 'From',
  to: 'To',
  badSpan: 'Choose a first day that is not after the last one, and at most 400 days.',
  apply: 'Show',
  of: 'Visits',
  ofAll: 'Through all links',
  links: 'Through one link',
  versions: 'Of one version',
  download: 'Download as CSV',
  downloadHint: 'All visits, whatever the filter is.',
  downloaded: (name: string) => `Saved as ${isolated(name)}.`,

  figures: 'Figures',
  visits: 'Visits',
  people: 'People',
  medianTime: 'Time of a typical visit',
  completion: 'Read to the end',
  otherOpenings: (number: number) =>
    `${count(number, 'other opening')}: robots, link previews, looks of less than 10 seconds, and browsers that ask ` +
    'not to be tracked.',
  notComplete: 'The latest visits are still being added. They appear here within two minutes.',
  unknown: '–',

  byDay: 'Visits by day',
  zone: 'Days are in UTC.',
  day: 'Day',
  time: 'Time',
  asTable: 'Show as a table',
  onDay: (day: string, visits: number, people: number) =>
    `${formatDayAndYear(day)}: ${count(visits, 'visit')}, ${count(people, 'person', { plural: 'people' })}`,

  bySlide: 'Slide by slide',
  bySlideAbout: 'Half of the visits that reached a slide stayed on it for less than this time, and half for more.',
  slide: 'Slide',
  untitled: (position: number) => `Slide ${formatNumber(position)}`,
  seenBy: 'Seen in',
  stopped: 'Ended here',
  noSlides: 'Nobody has stayed on a slide in this time.',
  showAll: (rows: number) => `Show all ${formatNumber(rows)}`,
  scrolled: (title: string) => `${title}, scrolls`,

  byLink: 'By link',
  byRecipient: 'By recipient',
  link: 'Link',
  recipient: 'Recipient',
  lastSeen: 'Last visit',
  others: 'All others',
  byDevice: 'By device',
  device: 'Device',
  devices: { desktop: 'Computer', mobile: 'Phone', tablet: 'Tablet' },
  byReferrer: 'Where they came from',
  referrer: 'Website',
  noReferrer: 'Typed, from an app or an email, or not told',

  list: 'Visits, newest first',
  history: 'Visits one by one',
  more: 'Show older visits',
  noneTitle: 'No visits yet',
  none: 'When somebody reads this deck, you see here how far they came and how long they stayed on each slide. Send a link to begin.',
  noneHere: 'No visits in this time span. Choose a longer one, or other links.',
  share: 'Share this deck',
  reader: (link: string) => `A reader of the link “${isolated(link)}”`,
  proven: 'Confirmed',
  provenHint: 'The reader confirmed this address with a code.',
  mailedTo: 'Emailed to them',
  mailedToHint: 'The link was emailed to this address. Somebody else may have opened it.',
  through: (link: string) => `through “${isolated(link)}”`,
  version: (version: number) => `version ${formatNumber(version)}`,
  path: 'Slides',
  pathOf: (slides: number) => `${count(slides, 'slide')} seen`,
  shown: 'Shown',
  times: (number: number) => count(number, 'time'),
  noScript: 'This browser ran no scripts, so times are not known.',
  readToEnd: 'read to the end',
  upTo: (slide: number, slides: number) => `up to slide ${formatNumber(slide)} of ${formatNumber(slides)}`,
  upToSlide: (slide: number) => `up to slide ${formatNumber(slide)}`,

  mail: {
    opened: 'Opened',
    readToEnd: 'Opened, read to the end',
    upTo: (slide: number, slides: number) => `Opened, up to slide ${formatNumber(slide)} of ${formatNumber(slides)}`,
    upToSlide: (slide: number) => `Opened, up to slide ${formatNumber(slide)}`,
    notOpened: 'Not opened',
    loaded: 'Loaded, but no visit',
    loadedHint: 'By a mail scanner, for less than 10 seconds, or by somebody who does not want to be tracked.',
  },

  tracking: {
    title: 'What is recorded about readers',
    about: 'You decide what you learn about the people who open this deck. A change does not affect earlier visits.',
    full: 'Visits',
    fullHint:
      'How long readers stay on each slide and how far they come, with the device and the website they came from. ' +
      'Their address is recorded only where they confirmed it or the link was emailed to it.',
    count: 'Only a count',
    countHint: 'How often the deck is opened. Nothing about its readers.',
    always: 'Browsers that ask not to be tracked are only counted, always.',
    changedTo: { full: 'Visits are recorded from now on.', count: 'From now on, openings are only counted.' },
  },

  forget: {
    title: 'Forget a reader',
    about:
      'For a reader who asks you to delete what you know about them. It removes their address from all decks of your ' +
      'organization: from visits, from the names of links, and from the addresses for which links open.',
    email: 'Email of the reader',
    action: 'Forget this reader',
    forgotten: 'A forgotten reader',
    ask: (email: string) => `Forget ${isolated(email)}?`,
    what:
      'Their address disappears from visits, link names and the lists of allowed readers, so links that are only for ' +
      'them no longer open for them. The figures stay, without the person. You cannot undo this.',
    done: (email: string) => `We are forgetting ${isolated(email)}. You get an email when it is done.`,
  },
};

/** The first page: what happened lately. */
export const overview = {
  title: 'Overview',
  about: 'The last 30 days',
  loading: 'Loading what happened lately …',
  opened: 'opened',
  latest: 'Latest visits',
  decks: 'Decks with the most readers',
  deck: 'Deck',
  noneTitle: 'No visits yet',
  none: 'When somebody opens one of your decks, you see here who it was, how long they stayed and how far they read. Send a link to begin.',
  noneLately: 'Nobody has opened a deck in the last 30 days.',
  toDecks: 'To your decks',
};
