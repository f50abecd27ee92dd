import { z } from 'zod';
import { serviceSecret } from '../../config';
import { endpoint } from '../../http/endpoint';
import { presentationId, tokenId, versionMode } from '../../contract/fields';
import { versionModeView } from '../../contract/views';
import { fail } from '../../errors';
import { revocationOf } from '../../policy/presentation-access';
import { readIn } from '../../records/database';
import { transact } from '../../records/transact';
import { presentationRef } from '../../records/presentations';
import { pinLink } from '../../records/share-links';
import { shareTokenRef, shareUrlOf } from '../../records/share-tokens';
import { pinnedVersionRef, pinOf } from '../../records/versions';

/** Lets a link follow the latest version, or pins it to one. A revoked link stays as it is: conflict. */

export const Input = z.object({ presentationId, tokenId, versionMode });

export const Answer = z.object({
  presentationId: z.uuidv7(),
  tokenId: z.string(),
  name: z.string(),
  versionMode,
  servedVersion: z.int().positive(),
  shareUrl: z.url().nullable(),
});

export const setTokenVersionMode = endpoint({
  name: 'setTokenVersionMode',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict'],
  runtime: { secrets: [serviceSecret] },

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
