import { asMember } from '../../http/authorize';
import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { timestamp } from '../../contract/fields';
import { fail } from '../../errors';
import { revokeApiKey as revokeKey } from '../../records/api-keys';

/** Revokes a key for good: at the dashboard any key of the organization, with a key only that key itself. Doing it again answers the same. */

export const Input = z.object({ keyId: z.string().min(1).max(100).nullish() });

export const Answer = z.object({ keyId: z.string(), status: z.literal('revoked'), revokedAt: timestamp });

export const revokeApiKey = endpoint({
  name: 'revokeApiKey',
  method: 'POST',
  caller: 'any-key-or-session',
  input: Input,
  answer: Answer,
  errors: ['not-found'],

  async handle({ input, caller, now }) {
    const { organizationId } = asMember(caller);
    const isSession = caller.kind === 'session';
    const keyId = input.keyId ?? (isSession ? undefined : caller.keyId);
    if (!keyId)
      return fail('invalid-argument', { errors: [{ location: 'body.keyId', message: 'Which key is to be revoked?' }] });
    if (!isSession && keyId !== caller.keyId) {
      fail('permission-denied', undefined, { nextAction: 'A key revokes itself only; use the dashboard for others.' });
    }
    const revokedAt = await revokeKey(organizationId, keyId, now);
    return { keyId, status: 'revoked' as const, revokedAt: revokedAt.toISOString() };
  },
});
