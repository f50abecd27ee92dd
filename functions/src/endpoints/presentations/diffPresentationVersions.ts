import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { manifestFile, presentationId, versionNumber } from '../../contract/fields';
import { fail } from '../../errors';
import { diffManifests } from '../../policy/manifest-diff';
import { read } from '../../records/database';
import { listFiles } from '../../records/manifests';
import { presentationRef } from '../../records/presentations';
import { versionRef } from '../../records/versions';

/** What changed from one version of a deck to another, in either direction; a file that moved is told from a new one. */

export const Input = z.object({ presentationId, from: versionNumber, to: versionNumber });

export const Answer = z.object({
  from: z.int(),
  to: z.int(),
  added: z.array(manifestFile),
  removed: z.array(manifestFile),
  changed: z.array(z.object({ path: z.string(), from: manifestFile, to: manifestFile })),
  renamed: z.array(z.object({ from: z.string(), to: z.string(), sha256: z.string(), size: z.int() })),
  unchanged: z.int(),
  bytesToUpload: z.int(),
});

export const diffPresentationVersions = endpoint({
  name: 'diffPresentationVersions',
  method: 'GET',
  path: ['presentationId', 'from', 'to'],
  caller: { scope: 'presentations:read', deck: 'member' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],

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
