import { z } from 'zod';
import { serviceSecret } from '../../config';
import { deckId } from '../../contract/fields';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { findInvited } from '../../records/collaborators';
import { read } from '../../records/database';
import { organizationRef } from '../../records/organizations';
import { presentationRef } from '../../records/presentations';
import { userRef } from '../../records/users';
import { displayNameOf } from '../../values/display-name';

export const Input = z.object({
  invitation: z.string().meta({
    description: 'The token of the link in the invitation email.',
    example: 'x'.repeat(64),
  }),
});

export const Answer = z.object({
  presentationId: deckId,
  title: z.string().meta({ description: 'Current title of the deck.', example: 'Quarterly results' }),
  inviterName: z.string().meta({ description: 'Name of the owner of the deck.', example: 'Ada Lovelace' }),
  organizationName: z.string().meta({ description: "Name of the owner's organization.", example: "Ada's workspace" }),
});

/**
 * What the page for signing up says to an invited person. The token is signed: an id of a deck reveals nothing, and the
 * address of the page holds no text that the page shows.
 */
export const getInvitation = endpoint({
  name: 'getInvitation',
  about:
    'Names the deck of an invitation and who invites, for a person who has the link of the invitation email and is not ' +
    'signed in. Answers not-found when the invitation was withdrawn, and when the deck was deleted or taken down.',
  method: 'GET',
  path: ['invitation'],
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 4, reads: 5, writes: 0 },

  async handle({ input: { invitation } }) {
    const row = (await findInvited(invitation)) ?? fail('not-found');
    const [deck] = await read(presentationRef(row.presentationId));
    if (!deck || deck.takedown) return fail('not-found');
    const [owner, organization] = await read(userRef(deck.ownerId), organizationRef(deck.organizationId));
    // The deletion of the account has begun, and a job closes its decks one after the other.
    if (!owner || !organization) return fail('not-found');
    const { presentationId, title } = deck;
    return { presentationId, title, inviterName: displayNameOf(owner), organizationName: organization.name };
  },
});
