import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { timestamp } from '../../contract/fields';
import { iso } from '../../contract/views';
import { scopes } from '../../values/keys';
import { read } from '../../records/database';
import { organizationRef } from '../../records/organizations';

/** Says what the key in the Authorization header is and for whom it acts; `lastUsedAt` is the use before this one. */

export const Input = z.object({});

export const Answer = z.object({
  type: z.enum(['org-api-key', 'admin-api-key']),
  keyName: z.string(),
  keyPrefix: z.string(),
  scopes: z.array(z.enum(scopes)),
  organizationId: z.string().nullable(),
  organizationName: z.string().nullable(),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  lastUsedAt: timestamp.nullable(),
  requestId: z.uuidv7(),
});

export const verifyApiKey = endpoint({
  name: 'verifyApiKey',
  method: 'POST',
  caller: 'any-key',
  input: Input,
  answer: Answer,
  errors: [],

  async handle({ caller: { key, organizationId }, requestId }): Promise<z.input<typeof Answer>> {
    const [organization] = organizationId ? await read(organizationRef(organizationId)) : [];
    return {
      type: key.kind === 'admin' ? 'admin-api-key' : 'org-api-key',
      keyName: key.name,
      keyPrefix: key.keyPrefix,
      scopes: key.scopes,
      organizationId,
      organizationName: organization?.name ?? null,
      createdAt: key.createdAt.toISOString(),
      expiresAt: iso(key.expiresAt),
      lastUsedAt: iso(key.lastUsedAt),
      requestId,
    };
  },
});
