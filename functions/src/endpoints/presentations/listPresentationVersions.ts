import { z } from 'zod';
import { example } from '../../contract/example';
import { deckId, deckPicture, presentationId, version, versionRow } from '../../contract/fields';
import { pictureView } from '../../rows/fields';
import { versionView } from '../../rows/decks';
import { endpoint } from '../../http/endpoint';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { userRef } from '../../records/users';
import { displayNameOf } from '../../values/display-name';
import { listVersions } from '../../records/versions';

export const Input = z.object({ presentationId });

const ListedVersion = versionRow
  .extend({
    createdByName: z.string().nullable().meta({
      description:
        'Name of the user who committed the version. Null for an admin key, and for a user who does not exist.',
      example: 'Grace Hopper',
    }),
    picture: deckPicture,
  })
  .meta({
    id: 'ListedVersion',
    description: 'A version of a deck, without its files, with its picture and who committed it.',
  });

export const Answer = z.object({
  presentationId: deckId,
  currentVersion: version.meta({ description: 'Number of the current version.' }),
  versions: z.array(ListedVersion).meta({ description: 'All versions, oldest first.' }),
});

export const listPresentationVersions = endpoint({
  name: 'listPresentationVersions',
  about: 'Lists all versions of a deck without their files, with the names of those who committed them.',
  command: `deck versions ${example.deckId}`,
  method: 'GET',
  path: ['presentationId'],
  caller: { scope: 'presentations:read', deck: 'member' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { class: 'list' },
  cost: { roundTrips: 4, reads: 5, writes: 0 },

  async handle({ input, authorize }) {
    const [found] = await read(presentationRef(input.presentationId));
    const deck = authorize(found);
    const versions = await listVersions(deck.presentationId);
    const userIds = [...new Set(versions.map(({ createdBy }) => createdBy))];
    const users = await read(...userIds.map(userRef));
    const names = new Map(users.map((user, i) => [userIds[i], user && displayNameOf(user)]));
    return {
      presentationId: deck.presentationId,
      currentVersion: deck.current.version,
      // A commit between the two reads may have added a version after `currentVersion`. The answer omits it.
      versions: versions
        .filter(({ version }) => version <= deck.current.version)
        .map((version) => ({
          ...versionView(version),
          createdByName: names.get(version.createdBy) ?? null,
          picture: pictureView(version.picture),
        })),
    };
  },
});
