import { z } from 'zod';
import { example } from '../../contract/example';
import { entryPath, manifestFile, presentationId, versionNumber, versionRow } from '../../contract/fields';
import { versionView } from '../../rows/decks';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { byPath } from '../../policy/manifest';
import { read } from '../../records/database';
import { listFiles } from '../../records/manifests';
import { presentationRef } from '../../records/presentations';
import { versionRef } from '../../records/versions';

export const Input = z.object({
  presentationId,
  version: z
    .union([z.literal('latest'), versionNumber])
    .meta({ description: 'Number of the version, or `latest` for the current one.', example: 'latest' }),
});

export const Answer = versionRow.extend({
  entryPath,
  isCurrent: z.boolean().meta({ description: 'Whether this is the current version of the deck.' }),
  files: z.array(manifestFile).meta({ description: 'All files of the version, ordered by path.' }),
});

export const getPresentationVersion = endpoint({
  name: 'getPresentationVersion',
  about:
    'Returns one version of a deck with all its files. A version never changes. A client may keep the answer for a ' +
    'numbered version for 1 year. Only `isCurrent` may become outdated.',
  isConditional: true,
  command: `deck pull ${example.deckId} copy-of-talk`,
  method: 'GET',
  path: ['presentationId', 'version'],
  caller: { scope: 'presentations:read', deck: 'member' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { class: 'read' },
  cost: { roundTrips: 4, reads: 4, writes: 0 },

  async handle({ input, authorize, answerHeaders }) {
    const [found] = await read(presentationRef(input.presentationId));
    const deck = authorize(found);
    const number = input.version === 'latest' ? deck.current.version : input.version;
    const [version] = await read(versionRef(deck.presentationId, number));
    if (!version) return fail('not-found', undefined, { message: `The deck has no version ${number}.` });
    const isCurrent = number === deck.current.version;
    // Only `isCurrent` can change, so the ETag contains it.
    answerHeaders['ETag'] = `"${version.manifestId}-${number}${isCurrent ? '-current' : ''}"`;
    answerHeaders['Cache-Control'] =
      input.version === 'latest' ? 'private, no-cache' : 'private, max-age=31536000, immutable';
    const files = (await listFiles(deck.presentationId, version)).sort(byPath);
    return { ...versionView(version), entryPath: version.entryPath, isCurrent, files };
  },
});
