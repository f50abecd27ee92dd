import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import {
  closed,
  deckId,
  deckPicture,
  listingOfDeck,
  organizationId,
  presentationId,
  shareTokenRow,
  shareUrlOrNull,
  sourceOfDeck,
  takedownOrNull,
  time,
  timeOrNull,
  title,
  userId,
  version,
} from '../../contract/fields';
import { slidePictures } from '../../contract/slide-fields';
import { tracking } from '../../contract/view-fields';
import { iso, pictureView, takedownView } from '../../rows/fields';
import { listingsOf } from '../../decks/deck-listings';
import { tokenView } from '../../decks/link-rows';
import { endpoint } from '../../http/endpoint';
import { closureOf, MAX_LIVE_LINKS, tokenStateOf } from '../../policy/presentation-access';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { lasting, listLinks } from '../../records/share-links';
import { linkTo, shareUrlOf } from '../../records/share-tokens';
import { readTokenViews } from '../../records/view-counters';

export const Input = z.object({ presentationId });

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
  listing: listingOfDeck,
  remixedFromSlug: sourceOfDeck,
  picture: deckPicture,
  tracking: tracking
    .meta({
      description: 'full: visits of readers are recorded. count: only loads are counted. Left out for an admin key.',
    })
    .optional(),
  slidePictures: slidePictures
    .meta({ description: `${slidePictures.description} Left out for an admin key.` })
    .optional(),
  totalViews: z.int().nonnegative().meta({ description: 'Number of views through all links.', example: 42 }),
  lastViewedAt: timeOrNull('When the deck was last viewed. Null before the first view.'),
  primaryShareUrl: shareUrlOrNull(
    'Address of a link that is not revoked, or null. One that is open goes before the others, then one without a ' +
      'gate, then the one that expires last, then the oldest.',
  ),
  tokens: z.array(shareTokenRow).meta({
    description:
      'The links of the deck, the oldest first. Revoked links are included; of a deck that has had more than ' +
      `${MAX_LIVE_LINKS} links, those of the newest ${MAX_LIVE_LINKS}.`,
  }),
});

export const getSharedPresentationInfo = endpoint({
  name: 'getSharedPresentationInfo',
  about: 'Returns a deck with all its links and their view counts. Only requests of the entry HTML count as views.',
  command: `deck info ${example.deckId}`,
  method: 'GET',
  path: ['presentationId'],
  caller: { scope: 'presentations:read', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { class: 'hot', secrets: [serviceSecret] },
  cost: { roundTrips: 4, reads: 4, writes: 0 },

  async handle({ input, caller, authorize, now }) {
    const [found] = await read(presentationRef(input.presentationId));
    const deck = authorize(found);
    const id = deck.presentationId;
    const [stored, views, [listing = null]] = await Promise.all([
      listLinks(deck),
      readTokenViews(id),
      listingsOf([deck]),
    ]);
    // A held link opens nothing until its email was sent, so the answer omits it.
    const tokens = stored.filter(({ isHeld }) => !isHeld);
    const open = tokens.filter((token) => tokenStateOf(token, deck, now) === 'open');
    const [primary] = open.length > 0 ? lasting(open.map(linkTo)) : deck.firstTokens;
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
      listingSlug: deck.listingSlug,
      listing,
      remixedFromSlug: deck.remixedFrom?.slug ?? null,
      picture: pictureView(deck.picture),
      ...(caller.kind !== 'admin' && { tracking: deck.tracking, slidePictures: deck.slidePictures }),
      totalViews: total?.totalViews ?? 0,
      lastViewedAt: iso(total?.lastViewedAt ?? null),
      primaryShareUrl: shareUrlOf(id, primary ?? null),
      tokens: tokens.map((token) => tokenView(deck, token, { views, caller, now })),
    };
  },
});
