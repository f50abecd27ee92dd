import { z } from 'zod';
import { example } from '../../contract/example';
import { manifestFile, path, presentationId, sha256, size, version, versionNumber } from '../../contract/fields';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { diffManifests } from '../../policy/manifest-diff';
import { read } from '../../records/database';
import { listFiles } from '../../records/manifests';
import { presentationRef } from '../../records/presentations';
import { versionRef } from '../../records/versions';

export const Input = z.object({
  presentationId,
  from: versionNumber.meta({ description: 'Number of the version to compare from.', example: 1 }),
  to: versionNumber.meta({
    description: 'Number of the version to compare to. It may be smaller than `from`.',
    example: 2,
  }),
});

export const Answer = z.object({
  from: version.meta({ description: 'The version compared from.', example: 1 }),
  to: version.meta({ description: 'The version compared to.', example: 2 }),
  added: z.array(manifestFile).meta({ description: 'Files whose path only `to` has, without the renamed files.' }),
  removed: z.array(manifestFile).meta({ description: 'Files whose path only `from` has, without the renamed files.' }),
  changed: z
    .array(
      z
        .object({
          path,
          from: manifestFile.meta({ description: 'The file in `from`.' }),
          to: manifestFile.meta({ description: 'The file in `to`.' }),
        })
        .meta({ id: 'ChangedFile', description: 'A path with other bytes or another content type.' }),
    )
    .meta({ description: 'Files whose bytes or content type differ.' }),
  renamed: z
    .array(
      z
        .object({
          from: path.meta({ description: 'Path in `from`.', example: 'img/logo.png' }),
          to: path.meta({ description: 'Path in `to`.', example: 'images/logo.png' }),
          sha256,
          size,
        })
        .meta({ id: 'RenamedFile', description: 'The same bytes under another path.' }),
    )
    .meta({ description: 'Files with the same bytes under another path.' }),
  unchanged: z.int().meta({ description: 'Number of files that are the same.', example: 9 }),
  bytesToUpload: z.int().meta({
    description: 'Bytes in `to` that `from` does not have: the sum over different hashes.',
    example: 18342,
  }),
});

export const diffPresentationVersions = endpoint({
  name: 'diffPresentationVersions',
  about: 'Compares the files of two versions of a deck.',
  command: `deck diff 1 2 --deck ${example.deckId}`,
  method: 'GET',
  path: ['presentationId', 'from', 'to'],
  caller: { scope: 'presentations:read', deck: 'member' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { class: 'read' },
  cost: { roundTrips: 3, reads: 5, writes: 0 },

  async handle({ input: { presentationId: id, from, to }, authorize }) {
    const [deck, older, newer] = await read(presentationRef(id), versionRef(id, from), versionRef(id, to));
    authorize(deck);
    if (!older || !newer) {
      return fail('not-found', undefined, { message: `The deck has no version ${older ? to : from}.` });
    }
    const [before, after] = await Promise.all([listFiles(id, older), listFiles(id, newer)]);
    return { from, to, ...diffManifests(before, after) };
  },
});
