import { z } from 'zod';

const total = (description: string, example: number) => z.int().nonnegative().meta({ description, example });

/** What the page of a deck tells of its reader. The totals are those of the load so far. */
export const beacon = z.object({
  loadId: z
    .string()
    .regex(/^[\w-]{16,40}$/)
    .meta({ description: 'Random id of the load of the page.', example: 'mB3xQ0aVtY7pLd2K' }),
  sequence: total('Number of the beacon in its load: 1, 2, and so on. At most 40 are taken.', 1),
  seconds: total('Active time of the load so far, in seconds.', 12),
  hasInput: z.boolean().meta({ description: 'Whether the reader used a key, a pointer or a finger.', example: true }),
  slideCount: z.int().nullish().meta({ description: 'Number of slides, where known.', example: 24 }),
  current: z.string().nullish().meta({ description: 'Key of the slide that is shown now.', example: 'agenda' }),
  slides: z
    .array(
      z.object({
        key: z.string().meta({ description: 'Key of the slide: at most 100 characters.', example: 'agenda' }),
        title: z.string().nullish().meta({ description: 'Title: at most 200 characters.', example: 'Agenda' }),
        index: total('Position of the slide, from 0.', 1),
        seconds: total('Active time on the slide in this load, in seconds.', 8),
        visits: total('How often the slide was shown in this load.', 1),
      }),
    )
    .nullish()
    .meta({ description: 'The slides that changed since the last beacon: at most 500.' }),
});
