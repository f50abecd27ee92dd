import { z } from 'zod';
import { example } from '../../contract/example';
import { keyId, keyLimit, keyName, keyPrefix, keyScopes, time, timeOrNull, userId } from '../../contract/fields';
import { iso } from '../../contract/views';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { isLiveKey, listApiKeys as listKeys } from '../../records/api-keys';
import { MAX_ACTIVE_KEYS } from '../../values/keys';

export const Input = z.object({});

const ListedKey = z
  .object({
    keyId,
    keyPrefix,
    name: keyName,
    description: z
      .string()
      .nullable()
      .meta({ description: 'Purpose of the key, or null.', example: 'Publishes from the build server.' }),
    scopes: keyScopes,
    status: z
      .enum(['active', 'revoked'])
      .meta({ description: 'revoked: the service refuses the key. An expired key keeps the status active.' }),
    createdAt: time('When the key was created.'),
    lastUsedAt: timeOrNull('When the key was last used, right to the minute. Null before its first use.'),
    expiresAt: timeOrNull('When the key expires. Null when it does not expire.'),
    userId: userId.nullable().meta({ description: 'Id of the user of the key.', example: example.userId }),
    isCaller: z.boolean().meta({ description: 'Whether this key sends the request.' }),
  })
  .meta({ id: 'ApiKey', description: 'An API key without its raw value.' });

export const Answer = z.object({
  keys: z.array(ListedKey).meta({ description: 'The keys, newest first.' }),
  limit: keyLimit,
  active: z
    .int()
    .meta({ description: 'Number of keys that count to the limit: not revoked, not expired.', example: 2 }),
});

export const listApiKeys = endpoint({
  name: 'listApiKeys',
  about:
    "Lists the API keys of the caller's organization, revoked and expired keys included. It never returns a raw key.",
  command: 'deck keys list',
  method: 'GET',
  caller: { scope: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: [],
  cost: { roundTrips: 2, reads: 2, writes: 0 },

  async handle({ caller, now }) {
    const keys = await listKeys(asMember(caller).organizationId);
    return {
      keys: keys.map(({ keyId, keyPrefix, name, description, scopes, status, userId, ...times }) => ({
        keyId,
        keyPrefix,
        name,
        description,
        scopes,
        status,
        createdAt: times.createdAt.toISOString(),
        lastUsedAt: iso(times.lastUsedAt),
        expiresAt: iso(times.expiresAt),
        userId,
        isCaller: keyId === caller.keyId,
      })),
      limit: MAX_ACTIVE_KEYS,
      active: keys.filter((key) => isLiveKey(key, now)).length,
    };
  },
});
