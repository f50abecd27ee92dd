import { fail } from '../errors';
import { mayAct, type DeckRole } from '../policy/presentation-access';
import type { Scope } from '../values/keys';
import type { Caller, KeyCaller, Member } from './authenticate';

/** Throws permission-denied when the key lacks the scope. An admin key has every scope. */
export function assertScope(caller: KeyCaller, scope: Scope): void {
  if (caller.kind === 'admin' || caller.key.scopes.includes(scope)) return;
  fail('permission-denied', { requiredScope: scope }, { nextAction: `Use a key with the scope ${scope}.` });
}

/** Returns the caller with its organization and user. Throws permission-denied for an admin key, which has neither. */
export function asMember(caller: Caller): Member {
  const { organizationId, userId } = caller;
  if (organizationId === null || userId === null) {
    return fail('permission-denied', undefined, {
      nextAction: 'Use a key of an organization. An admin key does not belong to an organization.',
    });
  }
  return { ...caller, organizationId, userId };
}

interface Ownership {
  ownerId: string;
  memberIds: readonly string[];
}

/**
 * Returns the deck when it exists and the caller has the role that the endpoint declares. Throws not-found when there
 * is no deck and permission-denied when the caller lacks the role.
 */
export type Authorize = <Deck extends Ownership>(deck: Deck | undefined) => Deck;

/**
 * Binds the check to one call. `role` comes from the endpoint's definition, so a handler cannot check another role.
 * `onCheck` runs at every check.
 */
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
