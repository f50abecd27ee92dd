import { z } from 'zod';
import { sessionUser } from '../../accounts/account-codes';
import { serviceSecret } from '../../config';
import { boundedArray, createdApiKey, expiresInDays, rawKey } from '../../contract/fields';
import { humanText, optionalText } from '../../contract/human-text';
import { fail } from '../../errors';
import { createdKeyView } from '../../rows/accounts';
import { endpoint } from '../../http/endpoint';
import { assertRoomForKey, createApiKey as createKey } from '../../records/api-keys';
import { dashboardSessionRef } from '../../records/dashboard-sessions';
import { readIn } from '../../records/database';
import { userRef } from '../../records/users';
import { scopes } from '../../values/keys';

export const Input = z.object({
  name: humanText({ max: 255, missing: 'A key needs a name that people can see.' }).meta({
    description: 'Name of the key.',
    example: 'Publishing',
  }),
  description: optionalText({ max: 1000, lines: true }).meta({
    description: 'Purpose of the key.',
    example: 'Publishes from the build server.',
  }),
  scopes: boundedArray(
    z.enum(scopes).meta({ description: 'A scope.' }),
    {
      min: 1,
      tooFew: 'A key needs a scope.',
      max: scopes.length,
      tooMany: `There are ${scopes.length} scopes.`,
    },
    (array) => array.transform((chosen) => scopes.filter((scope) => chosen.includes(scope))),
  ).meta({ description: 'Scopes of the key.', example: ['presentations:read', 'marketplace:publish'] }),
  expiresInDays,
});

export const Answer = z.object({
  apiKey: createdApiKey
    .extend({
      raw: rawKey
        .meta({ description: 'The key itself. The service returns it once: a replayed answer lacks it.' })
        .optional(),
    })
    .meta({ description: 'The new API key.' }),
});

export const createApiKey = endpoint({
  name: 'createApiKey',
  about:
    'Creates an API key with the scopes that the caller chooses. No other call creates a key with the scope ' +
    'marketplace:publish. An organization may have 20 active keys.',
  command: 'deck keys create --name Publishing --scope marketplace:publish --email ada@example.com --code 042137',
  method: 'POST',
  caller: 'session',
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['INVALID_EXPIRES_IN_DAYS', 'MAX_API_KEYS_REACHED', 'conflict'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 4, reads: 4, writes: 3 },

  handle({ input, caller: { keyId: sessionId, organizationId, userId }, now, idempotency }) {
    return idempotency.run(
      async (tx): Promise<z.input<typeof Answer>> => {
        // The account or the session may have ended meanwhile.
        const [[user, session]] = await Promise.all([
          readIn(tx, userRef(userId), dashboardSessionRef(sessionId)),
          assertRoomForKey(tx, organizationId, now),
        ]);
        if (!session) fail('unauthenticated');
        sessionUser(user);
        return { apiKey: createdKeyView(createKey(tx, { ...input, organizationId, userId }, now)) };
      },
      ({ apiKey: { raw: _secret, ...apiKey } }) => ({ apiKey }),
    );
  },
});
