import { z } from 'zod';
import { example } from '../../contract/example';
import { keyId as revokedKeyId, time } from '../../contract/fields';
import { fail } from '../../errors';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { revokeApiKey as revokeKey } from '../../records/api-keys';

export const Input = z
  .object({
    keyId: z.string().min(1).max(100).nullish().meta({
      description: 'Id of the key. A session must send it. A key may leave it out, or send its own id.',
      example: example.keyId,
    }),
  })
  .meta({ example: { keyId: example.keyId } });

export const Answer = z.object({
  keyId: revokedKeyId,
  status: z.literal('revoked').meta({ description: 'The new status of the key.' }),
  revokedAt: time('When the key was revoked for the first time.'),
});

export const revokeApiKey = endpoint({
  name: 'revokeApiKey',
  about:
    'Revokes an API key. A dashboard session may revoke any key of its organization. A key may revoke only itself, ' +
    'and the webhooks that it made or changed last are disabled. A second call for the same key returns the same answer.',
  command: `deck keys revoke ${example.keyId} --email ada@example.com --code 042137`,
  method: 'POST',
  caller: 'any-key-or-session',
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  cost: { roundTrips: 4, reads: 3, writes: 3 },

  async handle({ input, caller, now }) {
    const { organizationId } = asMember(caller);
    const isSession = caller.kind === 'session';
    const keyId = input.keyId ?? (isSession ? undefined : caller.keyId);
    if (!keyId)
      return fail('invalid-argument', { errors: [{ location: 'body.keyId', message: 'A keyId is needed.' }] });
    if (!isSession && keyId !== caller.keyId) {
      fail('permission-denied', undefined, {
        nextAction: 'A key can revoke only itself. Revoke other keys with a dashboard session.',
      });
    }
    const revokedAt = await revokeKey(organizationId, keyId, now);
    return { keyId, status: 'revoked' as const, revokedAt: revokedAt.toISOString() };
  },
});
