import { z } from 'zod';
import { config, serviceSecret } from '../../config';
import { example } from '../../contract/example';
import {
  linkRules,
  newTokenName,
  presentationId,
  shareUrl as answeredShareUrl,
  shortUrl,
  token as rawToken,
  tokenId,
  versionMode,
} from '../../contract/fields';
import { prepareRules } from '../../decks/link-changes';
import { endpoint } from '../../http/endpoint';
import { readIn } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { addLink } from '../../records/share-links';
import { openRules, shortUrlOf } from '../../records/share-tokens';
import { readPin } from '../../records/versions';
import { shareUrl } from '../../values/share-tokens';

export const Input = z.object({
  presentationId,
  tokenName: newTokenName,
  versionMode: versionMode
    .default({ type: 'latest' })
    .meta({ description: 'Which version the link opens. The default follows the latest version.' }),
  ...linkRules,
});

export const Answer = z.object({
  tokenId,
  token: rawToken
    .meta({
      description: 'The share token itself, the secret in the link: 64 characters. A replayed answer lacks it.',
    })
    .optional(),
  shareUrl: answeredShareUrl
    .meta({ description: 'Address that opens the deck in a browser. A replayed answer lacks it.' })
    .optional(),
  shortUrl: shortUrl
    .meta({ description: 'Short address of the link. Left out without one, and in a replayed answer.' })
    .optional(),
});

export const addPresentationToken = endpoint({
  name: 'addPresentationToken',
  about:
    'Creates another link to a deck. The link has its own name, view counter and rules. A deck has at most 5,000 ' +
    'links that are not revoked: above, the call answers 409.',
  command: `deck links add 'Board meeting' --deck ${example.deckId}`,
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['not-found', 'conflict'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 3, reads: 2, writes: 4 },

  async handle({
    input: { presentationId: id, tokenName, versionMode: mode, ...sent },
    caller,
    authorize,
    now,
    idempotency,
  }) {
    const rulesFor = await prepareRules(sent);
    return idempotency.run(
      async (tx) => {
        const [found] = await readIn(tx, presentationRef(id));
        const deck = authorize(found);
        const pinned = await readPin(tx, deck, mode);
        const createdBy = caller.userId ?? caller.keyId;
        const rules = { ...openRules, ...rulesFor(caller, now) };
        const { token, created } = addLink(tx, deck, { name: tokenName, pinned, rules, createdBy }, now);
        const short = shortUrlOf(id, created);
        const addresses = { shareUrl: shareUrl(config.viewerUrl(), id, token), ...(short && { shortUrl: short }) };
        return { tokenId: created.tokenId, token, ...addresses };
      },
      ({ tokenId }) => ({ tokenId }),
    );
  },
});
