import { z } from 'zod';
import { config, serviceSecret, serviceSecrets } from '../../config';
import { example } from '../../contract/example';
import { presentationId } from '../../contract/fields';
import { ticketUrl } from '../../decks/open-grant';
import { fail } from '../../errors';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { requestLimits } from '../../policy/request-limits';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { countRequest } from '../../records/request-windows';
import { versionRef } from '../../records/versions';
import { writeGrant } from '../../values/deck-grants';
import { encodePath } from '../../values/paths';

const signed = `${example.deckId}.2.${example.userId}.1773480473`;

export const Input = z.object({
  presentationId,
  version: z.int().positive().meta({ description: 'Number of the version to look at.', example: 2 }),
});

export const Answer = z.object({
  openUrl: z
    .url()
    .nullable()
    .meta({
      description:
        'Address that opens the version in a window, on an origin of its own. It works for 60 seconds; the window that ' +
        'it opened shows the version for 8 hours. Null when decks have no origins of their own.',
      example: `https://x4mhqz2kdp7ytb6c3nrw5vjgaoeu2lfs.decks.example.com/_open/${signed}.${'0'.repeat(64)}`,
    }),
  frameUrl: z.url().meta({
    description: 'Address of the version for a frame, or for a window when `openUrl` is null. It works for 8 hours.',
    example: `https://api.example.com/getSharedPresentation/${example.deckId}/_g/${signed}.${'0'.repeat(64)}/index.html`,
  }),
});

export const previewPresentationVersion = endpoint({
  name: 'previewPresentationVersion',
  about:
    'Returns addresses at which the caller can look at one version of a deck, without a share link. They open nothing ' +
    'as soon as the caller may no longer read the deck, or an operator takes it down. A preview counts no view. A user ' +
    'may ask for 120 previews in an hour.',
  command: `deck open --version 2 --deck ${example.deckId}`,
  method: 'POST',
  caller: { scope: 'presentations:read', deck: 'member' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'expired', 'rate-limited'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 5, reads: 5, writes: 2 },

  async handle({ input: { presentationId: id, version }, caller, authorize, now }) {
    const { userId } = asMember(caller);
    const [found, shown] = await read(presentationRef(id), versionRef(id, version));
    const { takedown } = authorize(found);
    if (takedown) return fail('expired', undefined, { message: 'An operator of the service took this deck down.' });
    if (!shown) return fail('not-found', undefined, { message: `The deck has no version ${version}.` });
    await countRequest('previewer', userId, requestLimits.previewsAnHour, now);
    const of = { presentationId: id, version, userId };
    const [secret, deckOrigin] = [serviceSecrets.current(), config.deckOrigin()];
    const frames = `${config.baseUrl()}/getSharedPresentation/${id}/_g/${writeGrant(secret, 'frame', of, now)}`;
    return {
      openUrl: deckOrigin ? ticketUrl(deckOrigin, of, now) : null,
      frameUrl: `${frames}/${encodePath(shown.entryPath)}`,
    };
  },
});
