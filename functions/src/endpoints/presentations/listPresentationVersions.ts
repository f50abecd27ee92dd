import { z } from 'zod';
import { deckId, presentationId, version, versionRow } from '../../contract/fields';
import { versionView } from '../../contract/views';
import { endpoint } from '../../http/endpoint';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { listVersions } from '../../records/versions';

export const Input = z.object({ presentationId });

export const Answer = z.object({
  presentationId: deckId,
  currentVersion: version.meta({ description: 'Number of the current version.' }),
  versions: z.array(versionRow).meta({ description: 'All versions, oldest first.' }),
});

export const listPresentationVersions = endpoint({
  name: 'listPresentationVersions',
  about: 'Lists all versions of a deck without their files.',
  method: 'GET',
  path: ['presentationId'],
  caller: { scope: 'presentations:read', deck: 'member' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],

  async handle({ input, authorize }) {
    const [found] = await read(presentationRef(input.presentationId));
    const deck = authorize(found);
    const versions = await listVersions(deck.presentationId);
    return {
      presentationId: deck.presentationId,
      currentVersion: deck.current.version,
      // A commit between the two reads may have added a version after `currentVersion`. The answer omits it.
      versions: versions.filter(({ version }) => version <= deck.current.version).map(versionView),
    };
  },
});
