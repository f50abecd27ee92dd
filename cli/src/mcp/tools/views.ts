import { z } from 'zod';
import { OPERAND, wordsOf, type CommandForm } from '../command-form';
import { failure } from '../failure';
import { deck, link, optionalDeck, tool, version } from '../tool';

const NEWEST_VIEWS = 20;
const day = z.string().optional();
const days = { from: day.describe('UTC, such as 2031-01-31'), to: day };
const insights: CommandForm = {
  path: 'insights',
  takes: { deck: OPERAND, link: 'link', version: 'version', from: 'from', to: 'to' },
};

const ofViews = { deck: OPERAND, link: 'link', email: 'email', version: 'version', from: 'from', to: 'to' };

interface ListedView {
  slides: { key: string }[];
}

export const viewTools = {
  get_insights: tool({
    description:
      'Tells who read a deck and where they stopped: figures by day, slide and link, and the newest 20 views. ' +
      'Without `deck`: all decks.',
    input: { deck: optionalDeck, link: link.optional(), version: version.optional(), ...days },
    hints: { isReadOnly: true },
    command: [insights, { path: 'insights', always: ['all'], takes: {} }],
    async run(input, run) {
      const { deck: name, link: through, version: of, from, to } = input;
      // Without a deck, the command takes that of the folder in which the process runs.
      if (name === undefined && (through ?? of) !== undefined)
        throw failure('`link` and `version` need `deck`.', { code: 'usage', nextAction: 'Name the deck, too.' });
      const words = wordsOf(insights, input);
      const figures = await run(['insights'], { ...words, options: { ...words.options, all: name === undefined } });
      if (name === undefined) return figures;
      const options = { link: through, version: of, from, to, limit: NEWEST_VIEWS };
      const { views } = await run(['views'], { operands: [name], options });
      return { ...figures, newestViews: (views as ListedView[]).map(withoutSlides) };
    },
  }),

  list_views: tool({
    description: 'Lists the views of a deck, newest first, with the seconds on each slide.',
    input: {
      deck,
      link: link.optional(),
      email: z.string().optional(),
      version: version.optional(),
      ...days,
      limit: z.int().min(1).max(100).optional(),
      cursor: z.string().optional(),
    },
    hints: { isReadOnly: true },
    command: {
      path: 'views',
      takes: { ...ofViews, limit: 'limit', cursor: 'cursor' },
    },
  }),

  set_tracking: tool({
    description: 'Sets whether visits of readers are recorded or only counted.',
    input: { deck, tracking: z.enum(['full', 'count']) },
    hints: { isIdempotent: true },
    command: { path: 'tracking', takes: { deck: 'deck', tracking: OPERAND } },
  }),
};

const withoutSlides = ({ slides: _bySlide, ...view }: ListedView) => view;
