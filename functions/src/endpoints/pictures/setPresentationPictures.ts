import { z } from 'zod';
import { removeAllPictures } from '../../blobs/slide-pictures';
import { deckId, presentationId } from '../../contract/fields';
import { slidePictures } from '../../contract/slide-fields';
import { endpoint } from '../../http/endpoint';
import { readIn } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { setSlidePictures } from '../../records/slide-pictures';
import { transact } from '../../records/transact';

export const Input = z.object({ presentationId, slidePictures });

export const Answer = z.object({ presentationId: deckId, slidePictures });

export const setPresentationPictures = endpoint({
  name: 'setPresentationPictures',
  about:
    'Sets whether a deck has pictures of its slides. Without them it takes none, and loses those of all its versions. ' +
    'Pictures that are files of the deck stay.',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner', refusesAdmin: true },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  cost: { roundTrips: 5, reads: 4, writes: 4, bucketCalls: 3 },

  async handle({ input: { presentationId: id, slidePictures: wanted }, authorize, now }) {
    await transact(async (tx) => {
      const [deck] = await readIn(tx, presentationRef(id));
      await setSlidePictures(tx, authorize(deck), wanted);
    });
    if (!wanted) await removeAllPictures(id, now);
    return { presentationId: id, slidePictures: wanted };
  },
});
