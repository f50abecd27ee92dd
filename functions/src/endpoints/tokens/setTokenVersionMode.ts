import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import {
  deckId,
  presentationId,
  shareUrlOrNull,
  tokenId,
  tokenName,
  version,
  versionMode,
} from '../../contract/fields';
import { versionModeView } from '../../contract/views';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { revocationOf } from '../../policy/presentation-access';
import { readIn } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { pinLink } from '../../records/share-links';
import { shareTokenRef, shareUrlOf } from '../../records/share-tokens';
import { transact } from '../../records/transact';
import { pinnedVersionRef, pinOf } from '../../records/versions';

export const Input = z.object({
  presentationId,
  tokenId,
  versionMode: versionMode.meta({ description: 'Which version the link opens from now on.' }),
});

export const Answer = z.object({
  presentationId: deckId,
  tokenId,
  name: tokenName,
  versionMode,
  servedVersion: version.meta({ description: 'Number of the version that the link opens now.' }),
  shareUrl: shareUrlOrNull('Address of the link. Null when the service cannot read the token any more.'),
});

export const setTokenVersionMode = endpoint({
  name: 'setTokenVersionMode',
  about: 'Makes a link follow the latest version, or pins it to one version. For a revoked link the call answers 409.',
  command: `deck links follow ${example.tokenId} --deck ${example.deckId}`,
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 5, reads: 6, writes: 3 },

  handle({ input: { presentationId: id, tokenId: of, versionMode: mode }, authorize }) {
    return transact(async (tx) => {
      const refs = [presentationRef(id), shareTokenRef(id, of), pinnedVersionRef(id, mode)] as const;
      const [found, token, version] = await readIn(tx, ...refs);
      const deck = authorize(found);
      if (!token) return fail('not-found', undefined, { message: 'The deck has no such token.' });
      if (revocationOf(token, deck))
        fail('conflict', undefined, { message: 'The token is revoked.', nextAction: 'Add a new token.' });
      const pinned = pinOf(deck, mode, version);
      await pinLink(tx, deck, token, pinned);
      return {
        presentationId: id,
        tokenId: of,
        name: token.name,
        versionMode: versionModeView(pinned),
        servedVersion: pinned?.version ?? deck.current.version,
        shareUrl: shareUrlOf(id, token),
      };
    });
  },
});
