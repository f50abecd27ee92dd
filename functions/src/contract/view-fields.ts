import { z } from 'zod';
import { addDays, dayOf, isDay, MAX_RANGE_DAYS } from '../values/days';
import { deckId, knownEmail, time, title, tokenId, tokenName, version, versionNumber } from './fields';

/** Fields of views and of the figures that are made of them. */

const count = (description: string, shown: number) => z.int().nonnegative().meta({ description, example: shown });
const seconds = (of: string, shown: number) => count(`${of}, in seconds.`, shown);

const day = z.string().refine(isDay, 'Send a day such as 2026-03-14.');
const dayFormat = { format: 'date', example: '2026-03-14' };
export const fromDay = day
  .optional()
  .meta({ description: 'First day (UTC). The default is the 30th day up to `to`.', ...dayFormat });
export const toDay = day.optional().meta({ description: 'Last day (UTC). The default is today.', ...dayFormat });

/** The days of a range. Throws for a range that ends before it begins, or that is too long. */
export const dayRange = { from: fromDay, to: toDay };
export const rangeRule = <T extends { from?: string | undefined; to?: string | undefined }>(input: T): boolean => {
  const { from, to = dayOf(new Date()) } = input;
  if (from === undefined || !isDay(from) || !isDay(to)) return true;
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
  return days >= 1 && days <= MAX_RANGE_DAYS;
};
/** The range that a call asks for: 30 days up to today without one. */
export function rangeOf({ from, to }: { from?: string | undefined; to?: string | undefined }, now: Date) {
  const last = to ?? dayOf(now);
  return { from: from ?? addDays(last, 1 - DEFAULT_DAYS), to: last };
}
const DEFAULT_DAYS = 30;

export const rangeProblem = {
  path: ['from'],
  error: `A range has 1 to ${MAX_RANGE_DAYS} days: from must not be after to.`,
};

export const tracking = z.enum(['full', 'count']).meta({
  description:
    'full: visits of readers are recorded. count: loads are counted, and nothing is recorded of their readers.',
  example: 'full',
});

export const devices = ['desktop', 'mobile', 'tablet'] as const;
const device = z.enum(devices).meta({ description: 'Kind of the device.', example: 'desktop' });
const referrerHost = z.string().nullable().meta({
  description: 'Host of the page that led to the share page. Null: the browser named none.',
  example: 'mail.example.com',
});
const slideKey = z.string().meta({
  description: 'Key of the slide: the id that its author gave it, or else made from its content.',
  example: 'agenda',
});
const slideTitle = z.string().meta({ description: 'Title of the slide. May be empty.', example: 'Agenda' });

export const viewedSlide = z
  .object({
    key: slideKey,
    title: slideTitle,
    seconds: seconds('Active time on the slide', 42),
    visits: count('How often the slide was shown.', 2),
  })
  .meta({ id: 'ViewedSlide', description: 'A slide that a reader saw.' });

const viewId = z.string().meta({ description: 'Id of the view.', example: '01936f60-2b7d-7c11-b5a4-8e0d9f3c6a12' });

export const viewRow = z
  .object({
    viewId,
    tokenId: tokenId.meta({ description: 'Id of the link through which the deck was opened.' }),
    tokenName,
    email: z
      .string()
      .nullable()
      .meta({
        description:
          'Address of the reader: proven at the gate of the link, or that of the recipient to whom the link was mailed. ' +
          'Null for other links.',
        example: 'grace@example.com',
      }),
    emailIsProven: z.boolean().meta({
      description: 'Whether the reader proved the address. False: the link was mailed to it, and may be passed on.',
    }),
    version: version.meta({ description: 'Number of the version that was shown first.' }),
    startedAt: time('When the view began.'),
    lastSeenAt: time('When the page last told something.'),
    seconds: seconds('Active time of the reader', 187),
    slides: z.array(viewedSlide).meta({
      description:
        'The slides that the reader saw, in the order of the deck: at most 500, with at most 64 KB of keys and titles.',
    }),
    slideCount: z.int().nullable().meta({ description: 'Number of slides of the deck, where known.', example: 24 }),
    maxSlide: count('Position of the last slide that the reader reached: 1 is the first. 0: none is known.', 24),
    hasScript: z.boolean().meta({ description: 'Whether the browser ran scripts. Without them, times are not known.' }),
    device,
    language: z.string().nullable().meta({ description: 'First language of the browser, or null.', example: 'en-GB' }),
    referrerHost,
  })
  .meta({ id: 'View', description: 'A visit of a reader. Loads that are at most 30 minutes apart are one view.' });

/** A view in a list of several decks. */
export const latestView = viewRow.omit({ slides: true }).extend({ presentationId: deckId, title }).meta({
  id: 'LatestView',
  description: 'A view in the list of the newest ones, without its slides.',
});

/** The filters of the list of views and of their export. A view must pass all of them. */
export const viewFilters = {
  tokenId: tokenId.optional().meta({ description: 'Only views through this link.' }),
  email: knownEmail.optional().meta({ description: 'Only views by this address.', example: 'grace@example.com' }),
  version: versionNumber.optional().meta({ description: 'Only views of this version.', example: 2 }),
  from: day.optional().meta({ description: 'First day (UTC) on which a view may have begun.', ...dayFormat }),
  to: day.optional().meta({ description: 'Last day (UTC) on which a view may have begun.', ...dayFormat }),
};

// ---- Figures

const views = count('Number of views.', 42);
const people = count('Number of people: addresses where they are known, else browsers.', 31);
const summed = seconds('Active time of all views', 5230);

const byDay = z
  .array(
    z.object({
      day: z.string().meta({ description: 'The day (UTC).', ...dayFormat }),
      views,
      people,
      seconds: summed,
    }),
  )
  .meta({ description: 'Every day of the range, the earliest first.' });

const latestOf = time('When a page that was opened through the link last told something.');

/** The figures that a deck and an organization have. */
const figures = {
  from: z.string().meta({ description: 'First day of the range (UTC).', ...dayFormat }),
  to: z.string().meta({ description: 'Last day of the range (UTC).', ...dayFormat }),
  views,
  people: people.meta({
    description:
      'Number of people: addresses where they are known, else browsers. Above 100 it is an estimate with a standard error of 1.6 %.',
  }),
  otherOpenings: count('Loads of the deck that never became a view: robots, link previews, short looks.', 12),
  seconds: z
    .object({
      median: z
        .number()
        .nonnegative()
        .nullable()
        .meta({ description: 'Median, within 10 %. Null without views.', example: 96 }),
      p90: z.number().nonnegative().nullable().meta({ description: '90th percentile, within 10 %.', example: 312 }),
    })
    .meta({ description: 'Active time of a view, in seconds.' }),
  completion: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .meta({ description: 'Share of the views that reached the last slide. Null without views.', example: 0.62 }),
  byDay,
};

const isComplete = z.boolean().meta({
  description:
    'False while views of the last minute are not in the figures yet, and when the stored lists had no room for an ' +
    'element, whose figures are then in `other`.',
});

const rest = (what: string, more: z.core.$ZodShape = {}) =>
  z.object({ views, ...more }).meta({ description: `The ${what} that are not among the 100 largest, together.` });

export const insights = z
  .object({
    ...figures,
    byLink: z
      .array(z.object({ tokenId, tokenName, views, people, seconds: summed, lastSeenAt: latestOf }))
      .meta({ description: 'The 100 links with the most views.' }),
    bySlide: z
      .array(
        z.object({
          key: slideKey,
          title: slideTitle,
          views: count('Views that saw the slide.', 40),
          medianSeconds: z.number().nonnegative().meta({
            description: 'Median of the active time on the slide over the views that saw it, within 10 %.',
            example: 21,
          }),
          exits: count('Views that ended at the slide.', 3),
        }),
      )
      .meta({ description: 'At most 500 slides, in the order of the deck.' }),
    byDevice: z.array(z.object({ device, views })).meta({ description: 'Kinds of devices, the most views first.' }),
    byReferrer: z.array(z.object({ host: referrerHost, views })).meta({
      description: 'The 100 hosts with the most views. A null host: the browser named none.',
    }),
    other: z
      .object({ byLink: rest('links', { seconds: summed }), bySlide: rest('slides'), byReferrer: rest('hosts') })
      .meta({ description: 'What the lists leave out.' }),
    isComplete,
  })
  .meta({ id: 'Insights', description: 'The figures of a deck, of one of its links or of one of its versions.' });

export const organizationInsights = z
  .object({
    ...figures,
    byDeck: z
      .array(z.object({ presentationId: deckId, title, views, people, seconds: summed }))
      .meta({ description: 'The 100 decks with the most views. A deleted deck is in `other`.' }),
    other: z.object({ byDeck: rest('decks', { seconds: summed }) }).meta({ description: 'What the list leaves out.' }),
    latestViews: z.array(latestView).meta({ description: 'The 20 newest views of all decks, whatever the range is.' }),
    isComplete,
  })
  .meta({ id: 'OrganizationInsights', description: 'The figures of all decks of an organization.' });

/** What became of a mailed link. */
export const mailOpening = z
  .object({
    views,
    lastSeenAt: time('When a page that was opened through the link last told something.'),
    maxSlide: count('The farthest slide that a view of the link reached: 1 is the first.', 24),
    slideCount: z.int().nullable().meta({
      description: 'Number of slides, where known. Read to the end: `maxSlide` equals it.',
      example: 24,
    }),
  })
  .nullable()
  .meta({
    description: 'What became of the link in the email, a minute ago. Null: it was not opened by a person.',
    example: null,
  });
