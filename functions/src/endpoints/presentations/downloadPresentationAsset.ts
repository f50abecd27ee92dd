import { z } from 'zod';
import { example } from '../../contract/example';
import { presentationId, sha256, versionNumber } from '../../contract/fields';
import { fileAnswers, withHeader } from '../../contract/file-answers';
import { fileOfPicture } from '../../decks/shown-pictures';
import { fail } from '../../errors';
import { rawEndpoint } from '../../http/endpoint';
import { failInput } from '../../http/envelope';
import { pathFields, query } from '../../http/request';
import { deliveryOf, sendFile } from '../../http/send-file';
import { findOfRemix } from '../../marketplace/remix-source';
import { read } from '../../records/database';
import { listFiles } from '../../records/manifests';
import { presentationRef } from '../../records/presentations';
import { versionRef } from '../../records/versions';

export const Input = z.object({
  presentationId,
  sha256: sha256.meta({ description: 'SHA-256 hash of the file: 64 lowercase hex characters.' }),
  version: versionNumber.optional().meta({
    description:
      'Version whose files are searched. The default is the current version, and of a remix also what it last took ' +
      'of its source.',
    example: 2,
  }),
});

export const downloadPresentationAsset = rawEndpoint({
  name: 'downloadPresentationAsset',
  about:
    'Returns the bytes of one file of a version, or of its picture, found by its hash. The header X-Service-Sha256 ' +
    'repeats the hash.',
  input: Input,
  paths: { '': '/{presentationId}', ByQuery: '' },
  answers: withHeader(fileAnswers, 'X-Service-Sha256'),
  errorHeaders: { 416: ['X-Service-Sha256'] },
  command: `deck pull ${example.deckId} copy-of-talk`,
  method: ['GET', 'HEAD'],
  caller: { scope: 'presentations:read', deck: 'member' },
  errors: ['invalid-argument', 'not-found', 'range-not-satisfiable'],
  runtime: { class: 'transfer' },
  cost: { roundTrips: 3, reads: 4, writes: 0 },

  async handle({ context, request, response, authorize }) {
    const sent = { ...Object.fromEntries(query(request)), ...pathFields(request, ['presentationId']) };
    const parsed = Input.safeParse(sent);
    if (!parsed.success) return failInput(parsed.error, 'query');
    const { presentationId: id, sha256: hash, version: number } = parsed.data;
    const [found, version] = await read(presentationRef(id), versionRef(id, number ?? 1));
    const deck = authorize(found);
    const [served, picture] = number === undefined ? [deck.current, deck.picture] : [version, version?.picture];
    const isPicture = picture?.sha256 === hash;
    const own = isPicture
      ? fileOfPicture(picture)
      : served && (await listFiles(id, served)).find((each) => each.sha256 === hash);
    const ofRemix = !own && number === undefined ? await findOfRemix(deck, hash) : undefined;
    const file = own ?? ofRemix?.file ?? fail('not-found');

    response.setHeader('X-Service-Sha256', hash);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    await sendFile(request, response, {
      context,
      presentationId: ofRemix?.presentationId ?? id,
      file,
      place: isPicture ? picture.place : undefined,
      delivery: deliveryOf(request, file),
      cacheControl: 'private, no-cache',
    });
  },
});
