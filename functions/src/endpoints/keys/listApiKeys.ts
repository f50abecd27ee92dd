import { asMember } from '../../http/authorize';
import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { timestamp } from '../../contract/fields';
import { iso } from '../../contract/views';
import { MAX_ACTIVE_KEYS, scopes } from '../../values/keys';
import { isLiveKey, listApiKeys as listKeys } from '../../records/api-keys';

/** The keys of the caller's organization, newest first, revoked and expired ones too; never a raw one. */

export const Input = z.object({});

export const Answer = z.object({
  keys: z.array(
    z.object({
      keyId: z.string(),
      keyPrefix: z.string(),
      name: z.string(),
      description: z.string().nullable(),
      scopes: z.array(z.enum(scopes)),
      status: z.enum(['active', 'revoked']),
      createdAt: timestamp,
      lastUsedAt: timestamp.nullable(),
      expiresAt: timestamp.nullable(),
      userId: z.string().nullable(),
      /** Whether it is the key that calls. */
      isCaller: z.boolean(),
    }),
  ),
  limit: z.int(),
  /** How many of them count to the limit. */
  active: z.int(),
});

export const listApiKeys = endpoint({
  name: 'listApiKeys',
  method: 'GET',
  caller: { scope: 'presentations:read', orSession: true },
  input: Input,
  answer: Answer,
  errors: [],

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
