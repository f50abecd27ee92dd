import { z } from 'zod';
import { serviceSecret } from '../../config';
import { endpoint } from '../../http/endpoint';
import { createdApiKey, expiresInDays } from '../../contract/fields';
import { createdKeyView } from '../../contract/views';
import { scopes } from '../../values/keys';
import { assertRoomForKey, createApiKey as createKey } from '../../records/api-keys';

/** Makes a key with the scopes that its owner chooses: the only way to one that may publish. The raw key is answered this once. */

export const Input = z.object({
  name: z.string().trim().min(1, 'A key needs a name.').max(255),
  description: z.string().trim().max(1000).nullish(),
  scopes: z
    .array(z.enum(scopes))
    .min(1, 'A key needs a scope.')
    .max(scopes.length)
    .transform((chosen) => scopes.filter((scope) => chosen.includes(scope))),
  expiresInDays,
});

export const Answer = z.object({ apiKey: createdApiKey.partial({ raw: true }) });

export const createApiKey = endpoint({
  name: 'createApiKey',
  method: 'POST',
  caller: 'session',
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['INVALID_EXPIRES_IN_DAYS', 'MAX_API_KEYS_REACHED', 'conflict'],
  runtime: { secrets: [serviceSecret] },

  handle({ input, caller: { organizationId, userId }, now, idempotency }) {
    return idempotency.run(
      async (tx): Promise<z.input<typeof Answer>> => {
        await assertRoomForKey(tx, organizationId, now);
        return { apiKey: createdKeyView(createKey(tx, { ...input, organizationId, userId }, now)) };
      },
      ({ apiKey: { raw: _secret, ...apiKey } }) => ({ apiKey }),
    );
  },
});
