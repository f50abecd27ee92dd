import { z } from 'zod';
import { resendApiKey } from '../../config';
import { assertMayAct } from '../../http/deck-access';
import { endpoint } from '../../http/endpoint';
import { collaboratorRow, email, presentationId } from '../../http/fields';
import { collaboratorView } from '../../http/views';
import { invitationMail } from '../../mail/invitation';
import { sendMail } from '../../mail/send';
import { fail } from '../../policy/errors';
import { newId } from '../../policy/ids';
import { planCaps } from '../../policy/plans';
import { activate, collaboratorRef, countCollaborators, revoke, type Collaborator } from '../../records/collaborators';
import { read } from '../../records/database';
import { callersOrganizationRef, organizationRef } from '../../records/organizations';
import { presentationRef } from '../../records/presentations';
import { transact } from '../../records/transact';
import { findUserByEmail, userRef } from '../../records/users';

/**
 * Lets an address edit a deck: at once when it has an account, otherwise when it signs up, of which a mail tells it. Inviting it again changes
 * nothing; one whose access was revoked starts anew.
 */

export const Input = z.object({ presentationId, email, message: z.string().trim().max(500).nullish() });

export const Answer = z.object({ collaborator: collaboratorRow });

export const inviteCollaborator = endpoint({
  name: 'inviteCollaborator',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'conflict', 'EMAIL_REQUIRED', 'EMAIL_INVALID'],
  runtime: { secrets: [resendApiKey] },

  async handle({ input: { presentationId: id, email: address, message }, caller, now, requestId }) {
    const outcome = await transact(async (tx) => {
      const [found, existing, user, own] = await read(
        tx,
        presentationRef(id),
        collaboratorRef(id, address),
        userRef(caller.userId ?? 'none'),
        callersOrganizationRef(caller),
      );
      const deck = assertMayAct(caller, 'owner', found);
      if (existing && existing.status !== 'revoked') return { row: existing };
      const isOwners = user?.userId === deck.ownerId && own?.organizationId === deck.organizationId;
      const [owner, organization] = isOwners
        ? [user, own]
        : await read(tx, userRef(deck.ownerId), organizationRef(deck.organizationId));
      if (!owner || !organization) throw new Error(`Deck ${id} has no owner or no organization.`);
      if (owner.email === address) {
        fail('invalid-argument', { errors: [{ location: 'body.email', message: 'The owner needs no invitation.' }] });
      }
      const invited = await findUserByEmail(tx, address);
      const limit = planCaps[organization.plan].collaborators;
      if ((await countCollaborators(tx, id)) >= limit) {
        fail('conflict', { limit, plan: organization.plan }, { message: `The plan allows ${limit} collaborators.` });
      }
      const row: Collaborator = {
        collaboratorId: existing?.collaboratorId ?? newId(),
        presentationId: id,
        email: address,
        userId: null,
        displayName: null,
        status: 'pending',
        invitedBy: caller.userId ?? caller.keyId,
        invitedAt: now,
        activatedAt: null,
        revokedAt: null,
      };
      if (invited) return { row: activate(tx, deck, row, invited, now) };
      tx.set(collaboratorRef(id, address), row);
      const from = { from: organization.name, replyTo: owner.email, deckTitle: deck.title };
      return { row, mail: invitationMail({ to: address, ...from, message: message ?? null }) };
    });
    if (outcome.mail) {
      await sendMail(outcome.mail, `invitation-${requestId}`).catch(async (error: unknown) => {
        await takeBack(id, outcome.row, now);
        throw error;
      });
    }
    return { collaborator: collaboratorView(outcome.row) };
  },
});

/** An invitation that nobody was told of is none; asking again sends it anew. */
function takeBack(id: string, invited: Collaborator, now: Date): Promise<void> {
  return transact(async (tx) => {
    const [deck, row] = await read(tx, presentationRef(id), collaboratorRef(id, invited.email));
    if (deck && row?.status === 'pending') revoke(tx, deck, row, now);
  });
}
