import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import {
  closed,
  deckId,
  organizationId,
  presentationId,
  shareUrlOrNull,
  takedownOrNull,
  time,
  timeOrNull,
  title,
  tokenId,
  tokenName,
  userId,
  version,
  versionMode,
} from '../../contract/fields';
import { iso, takedownView, versionModeView } from '../../contract/views';
import { endpoint } from '../../http/endpoint';
import { closureOf, revocationOf } from '../../policy/presentation-access';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { listShareTokens, shareUrlOf } from '../../records/share-tokens';
import { readTokenViews } from '../../records/view-counters';

export const Input = z.object({ presentationId });

const views = (description: string) => z.int().nonnegative().meta({ description, example: 42 });
const Token = z
  .object({
    tokenId,
    name: tokenName,
    versionMode,
    createdAt: time('When the link was created.'),
    revoked: z.boolean().meta({ description: 'Whether the link is revoked. A revoked link opens nothing.' }),
    revokedAt: timeOrNull('When the link was revoked, or null.'),
    lastAccessedAt: timeOrNull('When the deck was last opened through this link. Null before the first view.'),
    accessCount: views('Number of views through this link.'),
    shareUrl: shareUrlOrNull(
      'Address of the link, also of a revoked one. Null when the service cannot read the token any more.',
    ),
  })
  .meta({ id: 'ShareToken', description: 'A link to a deck.' });

export const Answer = z.object({
  id: deckId,
  ownerId: userId.meta({ description: 'Id of the user who owns the deck.' }),
  organizationId: organizationId.meta({ description: 'Id of the organization of the deck.' }),
  title,
  version: version.meta({ description: 'Number of the current version.' }),
  createdAt: time('When the deck was created.'),
  updatedAt: time('When the current version was committed.'),
  expiresAt: timeOrNull('When the links of the deck stop opening. Null when they do not expire.'),
  closed,
  takedown: takedownOrNull('The takedown of the deck by an operator. Null without one.'),
  listingSlug: z
    .string()
    .nullable()
    .meta({ description: 'Slug of the listing of the deck. Null without a listing.', example: example.slug }),
  totalViews: views('Number of views through all links.'),
  lastViewedAt: timeOrNull('When the deck was last viewed. Null before the first view.'),
  primaryShareUrl: shareUrlOrNull('Address of the first link that is not revoked, or null.'),
  tokens: z.array(Token).meta({ description: 'All links of the deck, revoked links included.' }),
});

export const getSharedPresentationInfo = endpoint({
  name: 'getSharedPresentationInfo',
  about: 'Returns a deck with all its links and their view counts. Only requests of the entry HTML count as views.',
  method: 'GET',
  path: ['presentationId'],
  caller: { scope: 'presentations:read', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { secrets: [serviceSecret] },

  async handle({ input, authorize, now }) {
    const [found] = await read(presentationRef(input.presentationId));
    const deck = authorize(found);
    const id = deck.presentationId;
    const [stored, views] = await Promise.all([listShareTokens(id), readTokenViews(id)]);
    // A held link opens nothing until its email was sent, so the answer omits it.
    const tokens = stored.filter(({ isHeld }) => !isHeld);
    const total = views.get('');
    return {
      id,
      ownerId: deck.ownerId,
      organizationId: deck.organizationId,
      title: deck.title,
      version: deck.current.version,
      createdAt: deck.createdAt.toISOString(),
      updatedAt: deck.updatedAt.toISOString(),
      expiresAt: iso(deck.expiresAt),
      closed: closureOf(deck, now),
      takedown: takedownView(deck.takedown),
      listingSlug: deck.listingSlug ?? null,
      totalViews: total?.totalViews ?? 0,
      lastViewedAt: iso(total?.lastViewedAt ?? null),
      primaryShareUrl: shareUrlOf(id, deck.firstToken),
      tokens: tokens.map((token) => {
        const revokedAt = revocationOf(token, deck);
        const seen = views.get(token.tokenId);
        return {
          tokenId: token.tokenId,
          name: token.name,
          versionMode: versionModeView(token.pinned),
          createdAt: token.createdAt.toISOString(),
          revoked: revokedAt !== null,
          revokedAt: iso(revokedAt),
          lastAccessedAt: iso(seen?.lastViewedAt ?? null),
          accessCount: seen?.totalViews ?? 0,
          shareUrl: shareUrlOf(id, token),
        };
      }),
    };
  },
});
