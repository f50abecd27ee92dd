import { z } from 'zod';
import { example } from './example';
import { time } from './fields';
import { optionalText } from './human-text';
import { viewLimits } from '../policy/view-totals';
import { slideKey } from './slide-fields';

/** Fields of live sessions. */

const position = (description: string, example: number) => z.int().nonnegative().meta({ description, example });
const positionOrNull = (description: string, example: number) =>
  z.int().nonnegative().nullable().meta({ description, example });
const maybePosition = (description: string, example: number) =>
  z.int().nonnegative().nullish().meta({ description, example });
const indexText = 'Position of the slide, from 0.';
const hashText = 'The part of the address behind the `#`, where the deck shows its slide there.';

/** Where the presenter is, as the page of the presenter tells it. */
export const sentSlide = z.object({
  key: slideKey,
  title: optionalText({ max: viewLimits.titleLength }).meta({ description: 'Title of the slide.', example: 'Agenda' }),
  index: position(indexText, 1),
  count: maybePosition('Number of slides, where known.', 24),
  step: maybePosition('Steps of the slide that are shown, where it has steps.', 2),
  steps: maybePosition('Number of steps of the slide, where it has steps.', 3),
  hash: z.string().max(500).nullish().meta({ description: hashText, example: '/1' }),
});

/** Where a follower is to be. */
export const liveSlide = z
  .object({
    key: z.string().meta({ description: 'Key of the slide.', example: 'agenda' }),
    title: z.string().nullable().meta({ description: 'Title of the slide.', example: 'Agenda' }),
    index: position(indexText, 1),
    count: positionOrNull('Number of slides.', 24),
    step: positionOrNull('Steps of the slide that are shown.', 2),
    steps: positionOrNull('Number of steps of the slide.', 3),
    hash: z.string().nullable().meta({ description: hashText, example: '/1' }),
  })
  .nullable()
  .meta({ description: 'The slide of the presenter. Null before the first move.' });

export const liveId = z.string().meta({ description: 'Id of the session.', example: example.liveId });
export const liveExpiry = time('When the session ends by itself: 8 hours after its start.');
export const liveSequence = z
  .int()
  .nonnegative()
  .meta({ description: 'Number of the last move that was taken; 0 before the first.', example: 7 });

export const liveTicket = (description: string) => z.string().max(2000).meta({ description, example: 'eyJ…' });
