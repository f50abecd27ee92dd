import { z } from 'zod';
import { config, serviceSecret } from '../../config';
import { assertMayAct } from '../../decks/deck-access';
import { endpoint } from '../../http/endpoint';
import {
  presentationId,
  shareUrl as answeredShareUrl,
  token as rawToken,
  tokenId,
  versionMode,
} from '../../contract/fields';
import { shareUrl } from '../../values/share-tokens';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { createShareToken, creationTime } from '../../records/share-tokens';
import { readPin } from '../../records/versions';

export const Input = z.object({
  presentationId,
  tokenName: z
    .string()
    .trim()
    .min(1, 'A token needs a name.')
    .max(255)
    .meta({ description: 'Name of the link, for its owner.', example: 'Board meeting' }),
  versionMode: versionMode
    .default({ type: 'latest' })
    .meta({ description: 'Which version the link opens. The default follows the latest version.' }),
});

export const Answer = z.object({
  tokenId,
  token: rawToken
    .meta({
      description: 'The share token itself, the secret in the link: 64 characters. A replayed answer lacks it.',
    })
    .optional(),
  shareUrl: answeredShareUrl,
});

export const addPresentationToken = endpoint({
  name: 'addPresentationToken',
  about: 'Creates one more link to a deck, with its own name and view counter.',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['not-found', 'conflict'],
  runtime: { secrets: [serviceSecret] },

  handle({ input: { presentationId: id, tokenName, versionMode: mode }, caller, now, idempotency }) {
    return idempotency.run(
      async (tx) => {
        const [found] = await read(tx, presentationRef(id));
        const deck = assertMayAct(caller, 'owner', found);
        const pinned = await readPin(tx, deck, mode);
        const createdAt = creationTime(deck, now);
        const by = caller.userId ?? caller.keyId;
        const { token, link } = createShareToken(tx, id, { name: tokenName, pinned, createdBy: by, createdAt });
        const firstToken = deck.firstToken ?? link;
        const latestToken = deck.latestToken ?? (pinned ? null : link);
        tx.update(presentationRef(id), { firstToken, latestToken });
        return { tokenId: link.tokenId, token, shareUrl: shareUrl(config.viewerUrl(), id, token) };
      },
      ({ token: _secret, ...answer }) => answer,
    );
  },
});
