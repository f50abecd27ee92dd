import { makePictures as make } from '../../decks/made-pictures';
import { duePictureTasks } from '../../records/picture-tasks';
import { job } from '../../schedules/job';

/**
 * Makes the pictures of new versions, which cards, pages and link previews show in place of the given files, and those
 * of slides that were sent. No other function decodes what people send. Without a picture, a page draws a cover.
 */
export const makePictures = job(
  'makePictures',
  '* * * * *',
  async ({ now, processItems }) => {
    const { done, failed } = await processItems(duePictureTasks(now), ({ id }) => make(id, now));
    return { made: done, failed };
  },
  [],
  'heavyJob',
);
