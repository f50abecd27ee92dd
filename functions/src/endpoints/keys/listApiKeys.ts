import { z } from 'zod';

import { keyLimit } from '../../contract/fields';
import { listedKey } from '../../contract/rows';
import { keyView } from '../../rows/accounts';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { isLiveKey, listApiKeys as listKeys } from '../../records/api-keys';
import { MAX_ACTIVE_KEYS } from '../../values/keys';

export const Input = z.object({});

export const Answer = z.object({
  keys: z.array(listedKey).meta({ description: 'The keys, newest first.' }),
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
  runtime: { class: 'list' },
  cost: { roundTrips: 2, reads: 2, writes: 0 },

  async handle({ caller, now }) {
    const keys = await listKeys(asMember(caller).organizationId);
    return {
      keys: keys.map((key) => ({ ...keyView(key), isCaller: key.keyId === caller.keyId })),
      limit: MAX_ACTIVE_KEYS,
      active: keys.filter((key) => isLiveKey(key, now)).length,
    };
  },
});
