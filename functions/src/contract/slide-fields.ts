import { z } from 'zod';
import { slideLimits } from '../policy/slide-pictures';
import { viewLimits } from '../policy/view-totals';
import { sha256, size } from './fields';
import { humanText, optionalText } from './human-text';

/** Fields of the pictures of slides. */

const about = 'Key of the slide: the id that its author gave it, or else made from its content. Views name it, too.';

/**
 * The key that a client sends: by the rules of the beacons, so that a picture stands beside the figures of its slide.
 */
export const slideKey = humanText({
  max: viewLimits.keyLength,
  missing: 'A slide needs a key that people can see.',
  tooLong: `The key of a slide has at most ${viewLimits.keyLength} characters.`,
}).meta({ description: about, example: 'agenda' });

const sentTitle = optionalText({ max: viewLimits.titleLength });

/** The titles of slides by their keys, as JSON. */
export const slideTitles = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'The titles must be a JSON object.' });
      return z.NEVER;
    }
  })
  .pipe(z.record(slideKey, sentTitle, 'The titles must be a JSON object of keys and titles.'))
  .optional()
  .meta({
    description:
      `The titles of the slides by their keys, as JSON: at most ${viewLimits.titleLength} characters each. They are the ` +
      'alternative texts of the pictures.',
    example: '{"agenda":"Agenda"}',
    override: { type: 'string' },
  });

const pixels = (what: string, example: number) =>
  z
    .int()
    .positive()
    .meta({ description: `${what} of the picture in pixels.`, example });

/** A slide that has a picture. */
export const slideRow = z
  .object({
    key: z.string().meta({ description: about, example: 'agenda' }),
    title: z
      .string()
      .nullable()
      .meta({ description: 'Title of the slide. Null for a slide without one.', example: 'Agenda' }),
    index: z.int().nonnegative().meta({ description: 'Position of the slide, from 0.', example: 1 }),
    sha256: sha256.meta({ description: 'SHA-256 hash of the picture.' }),
    size: size.meta({ description: 'Size of the picture in bytes.', example: 4213 }),
    width: pixels('Width', 640),
    height: pixels('Height', 360),
  })
  .meta({ id: 'SlidePicture', description: 'The picture of a slide: a WebP.' });

/** Whether the pictures of slides are stored. */
export const slidePictures = z
  .boolean()
  .meta({ description: `Whether the deck has pictures of its slides, at most ${slideLimits.slides} of a version.` });
