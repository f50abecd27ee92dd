import { z } from 'zod';
import { presentationId, sha256, versionNumber } from '../../contract/fields';
import { fileAnswers } from '../../contract/file-answers';
import { slideKey } from '../../contract/slide-fields';
import { fileOfSlide } from '../../decks/shown-pictures';
import { fail } from '../../errors';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { pathFields, query } from '../../http/request';
import { deliveryOf, sendFile } from '../../http/send-file';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { slidePicturesRef } from '../../records/slide-pictures';

export const Input = z.object({
  presentationId,
  version: versionNumber,
  key: slideKey,
  sha256: sha256.optional().meta({
    description:
      'Hash of the picture, as listSlidePictures tells it. With it a client may keep the answer for 1 year; a slide ' +
      'that has another picture now is not-found.',
  }),
});

export const getSlidePicture = rawEndpoint({
  name: 'getSlidePicture',
  about: 'Returns the picture of one slide of a version: a WebP of at most 640 × 360 pixels.',
  input: Input,
  paths: { '': '/{presentationId}/{version}' },
  answers: { 200: fileAnswers[200], 206: fileAnswers[206], 304: fileAnswers[304] },
  method: ['GET', 'HEAD'],
  caller: { scope: 'presentations:read', deck: 'member', refusesAdmin: true },
  errors: ['invalid-argument', 'not-found', 'range-not-satisfiable'],
  runtime: { class: 'read' },
  cost: { roundTrips: 3, reads: 3, writes: 0, bucketCalls: 1 },

  async handle({ context, request, response, authorize }) {
    const sent = { ...Object.fromEntries(query(request)), ...pathFields(request, ['presentationId', 'version']) };
    const parsed = Input.safeParse(sent);
    if (!parsed.success) return failInput(parsed.error, 'query');
    const { presentationId: id, version, key, sha256: wanted } = parsed.data;
    const [found, pictures] = await read(presentationRef(id), slidePicturesRef(id, version));
    authorize(found);
    const slide = pictures?.slides.find((each) => each.key === key);
    if (!slide || (wanted !== undefined && wanted !== slide.sha256)) return fail('not-found');
    const file = fileOfSlide(slide);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    await sendFile(request, response, {
      context,
      presentationId: id,
      file,
      place: 'slides',
      delivery: deliveryOf(request, file),
      cacheControl: wanted === undefined ? 'private, no-cache' : 'private, max-age=31536000, immutable',
    });
  },
});
