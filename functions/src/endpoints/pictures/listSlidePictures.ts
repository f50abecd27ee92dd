import { z } from 'zod';
import { deckId, presentationId, version, versionNumber } from '../../contract/fields';
import { slideRow } from '../../contract/slide-fields';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { slidePicturesRef } from '../../records/slide-pictures';

export const Input = z.object({ presentationId, version: versionNumber });

export const Answer = z.object({
  presentationId: deckId,
  version,
  slides: z.array(slideRow).meta({ description: 'The slides that have a picture, in their order.' }),
});

export const listSlidePictures = endpoint({
  name: 'listSlidePictures',
  about: 'Lists the slides of a version that have a picture. None before a job has made those that were sent.',
  method: 'GET',
  path: ['presentationId', 'version'],
  caller: { scope: 'presentations:read', deck: 'member', refusesAdmin: true },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { class: 'read' },
  cost: { roundTrips: 3, reads: 3, writes: 0 },

  async handle({ input: { presentationId: id, version: number }, authorize }) {
    const [found, pictures] = await read(presentationRef(id), slidePicturesRef(id, number));
    const deck = authorize(found);
    if (number > deck.current.version)
      return fail('not-found', undefined, { message: `The deck has no version ${number}.` });
    return { presentationId: id, version: number, slides: pictures?.slides ?? [] };
  },
});
