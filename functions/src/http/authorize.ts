import { fail } from '../errors';
import { mayAct, type DeckRole } from '../policy/presentation-access';
import type { Scope } from '../values/keys';
import type { Caller, KeyCaller, Member } from './authenticate';

/** Refuses a key without the scope: permission-denied. An admin key passes every scope. */
export function assertScope(caller: KeyCaller, scope: Scope): void {
  if (caller.kind === 'admin' || caller.key.scopes.includes(scope)) return;
  fail('permission-denied', { requiredScope: scope }, { nextAction: `Use a key with the scope ${scope}.` });
}

/** Refuses an admin key where the call needs an organization and a user: permission-denied. */
export function asMember(caller: Caller): Member {
  const { organizationId, userId } = caller;
  if (organizationId === null || userId === null) {
    return fail('permission-denied', undefined, {
      nextAction: 'Use the key of an organization; an admin key owns nothing.',
    });
  }
  return { ...caller, organizationId, userId };
}

interface Ownership {
  ownerId: string;
  memberIds: readonly string[];
}

/**
 * Returns the deck when it exists and the caller has the role that the endpoint declares. Throws not-found when there is no deck and
 * permission-denied when the caller lacks the role.
 */
export type Authorize = <Deck extends Ownership>(deck: Deck | undefined) => Deck;

/** The check of one call. `role` comes from the definition, so that a handler cannot check another one. */
export function authorizer(caller: () => Caller | undefined, role: DeckRole, onCheck: () => void): Authorize {
  return (deck) => {
    onCheck();
    if (!deck) return fail('not-found', undefined, { message: 'There is no such deck.' });
    const by = caller();
    if (by && mayAct(by, role, deck)) return deck;
    return fail('permission-denied', undefined, {
      message: role === 'owner' ? 'Only the owner of the deck may do that.' : 'This deck is not shared with you.',
    });
  };
}
