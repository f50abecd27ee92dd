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
import { versionModeView } from '../../rows/fields';
import { changeLinkOf } from '../../decks/link-changes';
import { endpoint } from '../../http/endpoint';
import { shareUrlOf } from '../../records/share-tokens';
import { transact } from '../../records/transact';

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
  cost: { roundTrips: 7, reads: 8, writes: 4 },

  handle({ input, authorize }) {
    return transact(async (tx) => {
      const { deck, token } = await changeLinkOf(tx, input, authorize);
      const { presentationId: id, current } = deck;
      return {
        presentationId: id,
        tokenId: token.tokenId,
        name: token.name,
        versionMode: versionModeView(token.pinned),
        servedVersion: token.pinned?.version ?? current.version,
        shareUrl: shareUrlOf(id, token),
      };
    });
  },
});
