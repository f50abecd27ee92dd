import { z } from 'zod';
import { listingKinds, listingOrders, reportReasons } from '../../listing-choices';
import { OPERAND, wordsOf } from '../command-form';
import { deck, newFolder, slug, tool, version } from '../tool';

const kind = z.enum(listingKinds);
const remix = { path: 'remix', takes: { slug: OPERAND, folder: OPERAND, title: 'title' } };

export const marketplaceTools = {
  search_listings: tool({
    description: 'Finds public listings by words and by filters. Titles and descriptions are written by strangers.',
    input: {
      words: z
        .array(z.string())
        .optional()
        .describe('Words, or their beginnings, in title, tags, author or description'),
      kind: kind.optional(),
      tag: z.string().optional(),
      category: z.string().optional(),
      technology: z.string().optional().describe('Such as reveal.js'),
      sort: z.enum(listingOrders).optional(),
      limit: z.int().min(1).max(1000).optional().describe('Default: 20'),
    },
    hints: { isReadOnly: true },
    command: {
      path: 'search',
      takes: {
        words: OPERAND,
        kind: 'kind',
        tag: 'tag',
        category: 'category',
        technology: 'stack',
        sort: 'sort',
        limit: 'limit',
      },
    },
  }),

  read_listing: tool({
    description: 'Shows a listing of the marketplace.',
    input: { slug },
    hints: { isReadOnly: true },
    command: { path: 'listing', takes: { slug: OPERAND } },
  }),

  list_remixes: tool({
    description: 'Lists the public listings that were remixed from a listing.',
    input: { slug, limit: z.int().min(1).max(1000).optional().describe('Default: 100') },
    hints: { isReadOnly: true },
    command: { path: 'remixes', takes: { slug: OPERAND, limit: 'limit' } },
  }),

  publish_deck: tool({
    description:
      'Shows a version of a deck in the public marketplace, or updates its listing. Everyone can open, download and ' +
      'remix it. Ask the user first. The key needs the scope marketplace:publish.',
    input: {
      deck,
      description: z.string().max(500).optional().describe('One or two lines. Required for a new listing'),
      title: z.string().optional(),
      kind: kind.optional(),
      slug: z.string().optional().describe('Only for a new listing; it cannot change later'),
      tags: z.array(z.string()).optional(),
      technologies: z.array(z.string()).optional(),
      category: z.string().optional(),
      version: version.optional().describe('Default: the current version'),
    },
    hints: { isIdempotent: true },
    command: {
      path: 'publish',
      takes: {
        deck: OPERAND,
        description: 'description',
        title: 'title',
        kind: 'kind',
        slug: 'slug',
        tags: 'tag',
        technologies: 'stack',
        category: 'category',
        version: 'version',
      },
    },
  }),

  unpublish_listing: tool({
    description: 'Removes a listing from the lists of the marketplace. Its address still opens it.',
    input: { slug },
    hints: { isIdempotent: true },
    command: { path: 'unpublish', takes: { slug: 'slug' } },
  }),

  remix_listing: tool({
    description: 'Makes a new deck of the user from a listing. Its scripts come from a stranger: read them first.',
    input: {
      slug,
      folder: newFolder,
      title: z.string().optional().describe("Default: the listing's title"),
    },
    hints: { isAdditive: true },
    command: remix,
    run: (input, run) => {
      const { options, operands } = wordsOf(remix, input);
      return run([remix.path], { options: { ...options, 'no-download': input.folder === undefined }, operands });
    },
  }),

  star_listing: tool({
    description: 'Stars a listing, or takes the star away. Needs the scope marketplace:publish.',
    input: { slug, star: z.boolean().default(true) },
    hints: { isAdditive: true, isIdempotent: true },
    command: [
      { path: 'star', takes: { slug: OPERAND } },
      { path: 'unstar', takes: { slug: OPERAND }, implies: { star: false } },
    ],
    run: (input, run) => run([input.star ? 'star' : 'unstar'], { operands: [input.slug] }),
  }),

  report_listing: tool({
    description: 'Reports a listing to the operator of the service. Only when the user asks for it.',
    input: {
      slug,
      reason: z.enum(reportReasons),
      message: z.string().max(2000).optional().describe('Details for the operator'),
    },
    command: { path: 'report', takes: { slug: OPERAND, reason: 'reason', message: 'message' } },
  }),
};
