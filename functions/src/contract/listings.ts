import { z } from 'zod';
import { config } from '../config';
import { code } from '../errors';
import { reportReasons } from '../policy/listing-reports';
import { slideLimits } from '../policy/slide-pictures';
import { authorIdOf, isSameListing, listingKinds, type Ancestor } from '../policy/listings';
import { listingSummary, type ListingFields } from '../rows/listings';
import { searchSorts } from '../values/listing-cursor';
import { encodePath } from '../values/paths';
import { isSlug, slugProblem } from '../values/slugs';
import { example } from './example';
import { boundedArray, newTitle, pageLimit, time } from './fields';
import { humanText, optionalText } from './human-text';

/** Fields that the calls of the marketplace share: those of a listing, of its row in an answer, and of a list query. */

/** The slug of an existing listing. A text of another shape cannot be a slug: not-found. */
export const slug = z
  .string({ error: 'A slug is needed.' })
  .min(1, { error: 'A slug is needed.', abort: true })
  .refine(isSlug, code('not-found'))
  .meta({
    description: 'Slug of the listing.',
    example: example.slug,
    override: { minLength: 3, maxLength: 80, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' },
  });

/** The slug in an answer. */
export const answeredSlug = z
  .string()
  .meta({ description: 'Slug of the listing: its permanent id.', example: example.slug });

/** A slug that the caller chooses for a new listing. */
export const newSlug = z
  .string()
  .check((context) => {
    const problem = slugProblem(context.value);
    if (problem) context.issues.push({ code: 'custom', message: problem, input: context.value });
  })
  .meta({ minLength: 3, maxLength: 80, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' });

const wordPattern = /^[a-z0-9][a-z0-9.+#-]*$/;
const WORD_RULE = 'A tag has 1 to 40 characters of a-z, 0-9 and . + # -, and begins with a letter or a digit.';

/** A tag, converted to lower case. */
const tag = z
  .string()
  .trim()
  .toLowerCase()
  .max(40, WORD_RULE)
  .regex(wordPattern, WORD_RULE)
  .meta({ description: 'A tag.', example: 'finance' });
/** A technology. The caller must send it in lower case. */
const technology = z
  .string()
  .max(40, WORD_RULE)
  .regex(wordPattern, WORD_RULE)
  .meta({ description: 'A technology.', example: 'three.js' });
const MAX_CATEGORY = 60;

const several = <T extends z.ZodType<string>>(word: T) =>
  boundedArray(word, { max: 20, tooMany: 'Send at most 20 values.' }, (array) =>
    array.transform((words) => [...new Set(words)]),
  );

/** Public text of the fields of a listing, in inputs and in answers. */
export const listingMeta = {
  kind: { description: 'Kind of the listing: a presentation, an app or a plan.', example: 'presentation' },
  description: { description: 'Summary of one or two lines.', example: 'Revenue, costs and the plan for spring.' },
  interactive: {
    description: 'Whether the visitor can operate the deck. Always true for the kind `app`.',
    example: false,
  },
  title: { description: 'Title of the listing.', example: 'Quarterly results' },
  tags: {
    description:
      'Search tags, at most 20, stored in lower case. Each has 1 to 40 characters of a-z, 0-9 and `. + # -`.',
    example: ['finance', 'report'],
  },
  techStack: {
    description:
      'Technologies in the deck, at most 20: lower-case slugs without versions. Each has 1 to 40 characters of ' +
      'a-z, 0-9 and `. + # -`.',
    example: ['reveal.js', 'three.js'],
  },
  category: { description: 'Category of the listing. Null when the listing has no category.', example: 'business' },
  version: {
    description: 'Version of the deck that the listing shows. Later versions do not change it.',
    example: 3,
  },
  status: {
    description: 'public: the lists show the listing. unlisted: the lists do not show it, but its address works.',
    example: 'public',
  },
};

/** The fields that the owner of a listing writes. */
export const listingFields = {
  kind: z.enum(listingKinds).meta(listingMeta.kind),
  description: humanText({
    max: 500,
    tooLong: 'A description has at most 500 characters.',
    missing: 'A description needs a character that people can see.',
    lines: true,
  }).meta(listingMeta.description),
  interactive: z.boolean().meta(listingMeta.interactive),
  title: newTitle.meta(listingMeta.title),
  tags: several(tag).meta(listingMeta.tags),
  techStack: several(technology).meta(listingMeta.techStack),
  category: optionalText({ max: MAX_CATEGORY }).meta(listingMeta.category),
  version: z.int().positive().meta(listingMeta.version),
  status: z.enum(['public', 'unlisted']).meta(listingMeta.status),
};

const counter = (description: string) => z.int().nonnegative().meta({ description, example: 7 });
export const stars = counter('Number of users who starred the listing.');
export const remixCount = counter('Number of counted uses of the listing: one for each client network and hour.');
export const viewCount = counter('Number of counted views of the listing: one for each client network and hour.');

/** The public id of an author. */
export const authorId = z
  .string()
  .regex(/^[0-9a-f]{20}$/, 'An author has 20 digits of 0-9 and a-f.')
  .meta({ description: 'Public id of the author of a listing.', example: '5f1c0e9a7b3d2846ce10' });

const author = z
  .object({
    authorId: z.string().meta({ description: 'Public id of the author.', example: '5f1c0e9a7b3d2846ce10' }),
    displayName: z.string().meta({ description: 'Name of the author.', example: 'Ada Lovelace' }),
  })
  .meta({ id: 'Author', description: 'The user who published a listing.' });

/**
 * Where the picture of a listing is among its files. A file that a deck has at this path is not served: as on the
 * origins of decks, `_deck/` belongs to the service.
 */
export const PICTURE_PATH = '_deck/picture.jpg';
/** The picture of a slide, by its number from 1. */
export const slidePath = (n: number) => `_deck/slides/${n}.webp`;

/** The number of the slide whose picture is at a path. */
export function numberOfSlide(path: string): number | undefined {
  const n = Number(/^_deck\/slides\/([1-9]\d?)\.webp$/.exec(path)?.[1]);
  return n <= slideLimits.listed ? n : undefined;
}

const picture = z
  .object({
    url: z.url().meta({
      description: 'Address of the picture. It needs no key, and is another one for another picture.',
      example: `https://api.example.com/getMarketplaceListingContent/${example.slug}/${PICTURE_PATH}?v=5f1c0e9a`,
    }),
    contentType: z.string().meta({ description: 'Type of the picture.', example: 'image/jpeg' }),
    size: z.int().positive().meta({ description: 'Size in bytes.', example: 48_213 }),
  })
  .meta({ id: 'ListingPicture', description: 'A picture of a deck, which the service has made.' });

const fileCounter = (what: string, example: number) =>
  z
    .int()
    .nonnegative()
    .meta({ description: `Number of ${what} files.`, example });

/** What a row tells of the owner of its listing. */
export interface ListingOwner {
  displayName: string;
  /** The brand colour of the organization (`#rrggbb`). */
  colour: string | null;
}

/** A listing as everybody sees it. */
export const listingRow = z
  .object({
    slug: answeredSlug,
    title: z.string().meta(listingMeta.title),
    description: z.string().meta(listingMeta.description),
    kind: listingFields.kind,
    interactive: listingFields.interactive,
    category: z.string().nullable().meta(listingMeta.category),
    tags: z.array(z.string().meta({ description: 'A tag.', example: 'finance' })).meta(listingMeta.tags),
    techStack: z
      .array(z.string().meta({ description: 'A technology.', example: 'three.js' }))
      .meta(listingMeta.techStack),
    status: listingFields.status,
    version: z.int().positive().meta(listingMeta.version),
    author: author.nullable().meta({ description: 'The author. Null when the account does not exist any more.' }),
    picture: picture.nullable().meta({
      description:
        'The picture of the version that the listing shows: a JPEG of at most 1200 × 675 pixels and 200 KB, which a ' +
        'job makes of the `og:image` of its entry, or of its `thumbnail.png`, `.jpg` or `.webp`. Null until it is ' +
        'made, within about a minute, and for a version without one.',
    }),
    colour: z.string().nullable().meta({
      description: 'Brand colour of the organization, for a picture drawn in place of a missing one. Null without one.',
      example: '#1a2b3c',
    }),
    stars,
    remixCount,
    remixerCount: counter('Number of other users who have remixed the listing.'),
    weekRemixerCount: counter('Those of the last 7 days. The number is brought up to date once a day.'),
    viewCount,
    remixedFromSlug: z
      .string()
      .nullable()
      .meta({
        description:
          'Slug of the listing that this deck was remixed from. Null for a deck that is not a remix, and while that ' +
          'listing is taken down.',
        example: 'spring-plan',
      }),
    remixedFromTitle: z
      .string()
      .nullable()
      .meta({
        description:
          'Title of the listing that this deck was remixed from. Null for a deck that is not a remix, and while that ' +
          'listing is taken down.',
        example: 'Spring plan',
      }),
    changes: z
      .object({
        added: fileCounter('added', 1),
        changed: fileCounter('changed', 3),
        removed: fileCounter('removed', 0),
      })
      .nullable()
      .meta({
        id: 'RemixChanges',
        description:
          'What a remix changed of the files that it took from its source, counted when the version was published. ' +
          'Null for a deck that is not a remix.',
      }),
    createdAt: time('When the listing was published.'),
    updatedAt: time('When the listing was last changed.'),
    marketplaceUrl: z.url().meta({
      description: 'Address of the page of the listing.',
      example: `https://decks.example.com/marketplace/${example.slug}`,
    }),
  })
  .meta({ id: 'Listing', description: 'A listing of the marketplace, as everybody sees it.' });

/** What events and exports tell of a listing. */
export const listingFacts = listingRow.pick({
  slug: true,
  title: true,
  description: true,
  kind: true,
  interactive: true,
  category: true,
  tags: true,
  techStack: true,
  status: true,
  version: true,
  createdAt: true,
  updatedAt: true,
});

/** The fields of the record of a listing of which its row is made. */
interface RecordFields extends ListingFields {
  ownerId: string;
  picture?: { sha256: string; contentType: string; size: number } | null | undefined;
  lineage: readonly Ancestor[];
  changes: { added: number; changed: number; removed: number } | null;
  stars: number;
  remixCount: number;
  viewCount: number;
  remixerCount: number;
  weekRemixerCount: number;
}

/**
 * `named` are the ancestors that the answer may name (policy/listings). `owner` is undefined when the account does not
 * exist.
 */
export function listingView(
  listing: RecordFields,
  named: readonly Ancestor[],
  owner: ListingOwner | undefined,
): z.output<typeof listingRow> {
  const { slug, lineage } = listing;
  const source = named.find((ancestor) => lineage[0] && isSameListing(ancestor, lineage[0]));
  return {
    ...listingSummary(listing),
    author: owner ? { authorId: authorIdOf(listing.ownerId), displayName: owner.displayName } : null,
    picture: listingPicture(listing),
    colour: owner?.colour ?? null,
    // The counter may be negative for 1 minute: the shard with the removal of a star may be added before the shard with
    // the star.
    stars: Math.max(0, listing.stars),
    remixCount: listing.remixCount,
    remixerCount: listing.remixerCount,
    weekRemixerCount: listing.weekRemixerCount,
    viewCount: listing.viewCount,
    remixedFromSlug: source?.slug ?? null,
    remixedFromTitle: source?.title ?? null,
    changes: listing.changes,
    marketplaceUrl: marketplaceUrl(slug),
  };
}

/** The address of a file of a listing. */
export const fileUrlOf = (slug: string, path: string) =>
  `${config.baseUrl()}/getMarketplaceListingContent/${slug}/${encodePath(path)}`;

/** The address of a picture. Caches keep the files of a listing: another picture has another parameter. */
export const pictureUrlOf = (slug: string, { sha256 }: { sha256: string }) =>
  `${fileUrlOf(slug, PICTURE_PATH)}?v=${sha256.slice(0, 8)}`;

/** The address of the picture of a slide, by its number from 1. */
export const slideUrlOf = (slug: string, n: number, { sha256 }: { sha256: string }) =>
  `${fileUrlOf(slug, slidePath(n))}?v=${sha256.slice(0, 8)}`;

function listingPicture({ slug, picture }: RecordFields): z.output<typeof listingRow>['picture'] {
  if (!picture) return null;
  const { contentType, size } = picture;
  return { url: pictureUrlOf(slug, picture), contentType, size };
}

/** The cursor of a list of listings. A cursor belongs to one list: one set of filters and one order. */
export const listingCursor = z.string().meta({
  description: 'Cursor of a page: the `nextCursor` of the page before it, with the same filters and order.',
  example: 'WyJyZWNlbnQuYWJjIixbMTc3MzQ4MDQxMzU4OV0sInF1YXJ0ZXJseS1yZXN1bHRzIl0',
});

/** The query of a list. */
export const listQuery = z.object({
  q: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .meta({
      description:
        "Only listings in whose title, tags, description and author's names all of these words are. A word finds the " +
        'words that begin with it; a single letter finds itself. Case, accents and punctuation make no difference. When ' +
        'fewer than 3 listings match, words of 5 and more letters may have one typing error.',
      example: 'quarterly fin',
    }),
  author: authorId.optional().meta({ description: 'Only listings of this author: the `authorId` of a listing.' }),
  kind: z.enum(listingKinds).optional().meta({ description: 'Only listings of this kind.', example: 'presentation' }),
  interactive: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({
      description: 'true: only interactive listings. false: only static ones.',
      override: { type: 'boolean', enum: undefined },
    }),
  category: humanText({ max: MAX_CATEGORY, missing: 'A category needs a character that people can see.' })
    .optional()
    .meta({ description: 'Only listings of this category.', example: 'business' }),
  tag: tag.optional().meta({ description: 'Only listings with this tag.', example: 'finance' }),
  stack: technology
    .optional()
    .meta({ description: 'Only listings with this technology in `techStack`.', example: 'three.js' }),
  sort: z
    .enum(searchSorts)
    .optional()
    .meta({
      description:
        'Order. best: words in the title first, then in the tags, the names and the description; the default with `q`. ' +
        'recent: newest first; the default without `q`. popular: remixed by most users first. week: the same for the ' +
        'last 7 days. stars: most stars first.',
      example: 'popular',
    }),
  limit: pageLimit('listings', { usual: 20 }),
  cursor: listingCursor.optional(),
});

const marketplaceUrl = (slug: string) => `${config.marketplaceUrl()}/marketplace/${slug}`;

/** The report of a visitor about a listing. */
export const listingReport = z.object({
  slug,
  reason: z.enum(reportReasons).meta({ description: 'Reason of the report.' }),
  details: optionalText({ max: 2000, tooLong: 'Details have at most 2000 characters.', lines: true }).meta({
    description: 'Details for the operator.',
    example: 'Slide 4 shows my photo.',
  }),
});
