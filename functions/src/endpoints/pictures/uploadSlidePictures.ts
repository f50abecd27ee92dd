import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { presentationId, version, versionNumber, deckId } from '../../contract/fields';
import { slideKey, slideTitles } from '../../contract/slide-fields';
import { filePart, partsNamed } from '../../contract/upload-fields';
import { sendPictures } from '../../decks/sent-pictures';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { readTypedForm, type TypedFile } from '../../http/multipart';
import { slideLimits } from '../../policy/slide-pictures';
import { mediaType } from '../../values/content-types';
import { MB } from '../../values/units';

const MAX_BYTES = slideLimits.slides * slideLimits.pictureBytes;
const types = ['image/webp', 'image/jpeg', 'image/png'];

const received = z.custom<TypedFile>().meta({ override: filePart });
const picture = received.transform(({ name, contentType, ...file }, context) => {
  const key = slideKey.safeParse(name);
  if (key.error) for (const { message } of key.error.issues) context.addIssue({ code: 'custom', message });
  if (!types.includes(mediaType(contentType)))
    context.addIssue({ code: 'custom', message: 'A picture is a WebP, a JPEG or a PNG.' });
  return { ...file, key: key.data ?? '' };
});

export const Input = z
  .object({
    presentationId,
    version: versionNumber.meta({ description: 'Number of the newest version.', example: 2 }),
    titles: slideTitles,
    files: z
      .array(picture)
      .min(1, 'The form must hold at least one picture: a part named by the key of its slide, with a filename.')
      .refine((parts) => new Set(parts.map(({ key }) => key)).size === parts.length, 'Two pictures have the same key.'),
  })
  .meta({
    ...partsNamed('files', '^(?!version$)(?!titles$).{1,100}$', {
      ...filePart,
      description:
        'The picture of one slide, 1 to 200 parts in the order of the slides: a WebP, JPEG or PNG of at most ' +
        '640 × 360 pixels and 100 KB. The name of the part is the key of the slide. The part needs a filename.',
    }),
    example: { presentationId: example.deckId, version: 2, agenda: '@agenda.png;type=image/png' },
  });

export const Answer = z.object({
  presentationId: deckId,
  version,
  slides: z.int().positive().meta({ description: 'Number of pictures that were sent.', example: 24 }),
});

export const uploadSlidePictures = endpoint({
  name: 'uploadSlidePictures',
  about:
    'Sends the pictures of the slides of the newest version, which replace those that it has. A job decodes them and ' +
    'encodes them again within about a minute, and leaves out what it cannot decode. The newest 10 versions keep their ' +
    'pictures, and those that a link or the listing is pinned to. An organization may call this 60 times in an hour.',
  command: 'deck push talk',
  method: 'POST',
  path: ['presentationId'],
  caller: { scope: 'presentations:write', deck: 'member', refusesAdmin: true },
  limit: 21 * MB,
  async read(request, limit, onEnd) {
    const limits = {
      files: slideLimits.slides,
      fileBytes: MAX_BYTES,
      bodyBytes: limit,
      fieldBytes: slideLimits.titlesBytes,
    };
    const { fields, files, cutOff } = await readTypedForm(request, limits, onEnd);
    // Pictures replace each other as a whole.
    if (cutOff) throw cutOff;
    const large = files.find(({ sizeBytes }) => sizeBytes > slideLimits.pictureBytes);
    if (large) fail('payload-too-large', { limit: slideLimits.pictureBytes, actual: large.sizeBytes });
    return { ...fields, files };
  },
  input: Input,
  answer: Answer,
  isAccepted: true,
  errors: ['not-found', 'conflict', 'payload-too-large', 'rate-limited'],
  runtime: { class: 'transfer', secrets: [serviceSecret] },
  cost: { roundTrips: 6, reads: 9, writes: 4, bucketCalls: 1 },

  async handle({ input, ...call }) {
    const { presentationId: id, version: number, titles = {}, files } = input;
    const slides = files.map((each) => ({ ...each, title: titles[each.key] ?? null }));
    await sendPictures({ presentationId: id, version: number, slides }, call);
    return { presentationId: id, version: number, slides: slides.length };
  },
});
