import { z } from 'zod';
import { example } from '../../contract/example';
import {
  keyName,
  keyPrefix,
  keyScopes,
  organizationId,
  organizationName,
  time,
  timeOrNull,
} from '../../contract/fields';
import { iso } from '../../rows/fields';
import { endpoint } from '../../http/endpoint';
import { read } from '../../records/database';
import { organizationRef } from '../../records/organizations';

export const Input = z.object({});

export const Answer = z.object({
  type: z
    .enum(['org-api-key', 'admin-api-key'])
    .meta({ description: 'org-api-key: acts for one organization. admin-api-key: internal, for all organizations.' }),
  keyName,
  keyPrefix,
  scopes: keyScopes,
  organizationId: organizationId
    .nullable()
    .meta({ description: 'Id of the organization. Null for an admin key.', example: example.organizationId }),
  organizationName: organizationName
    .nullable()
    .meta({ description: 'Name of the organization. Null for an admin key.', example: "Ada's workspace" }),
  createdAt: time('When the key was created.'),
  expiresAt: timeOrNull('When the key expires. Null when it does not expire.'),
  lastUsedAt: timeOrNull(
    'When the key was last used before this call, right to the minute. Null before its first use.',
  ),
  requestId: z.uuidv7().meta({
    description: 'Id of this request. The header X-Request-Id has the same value.',
    example: example.requestId,
  }),
});

export const verifyApiKey = endpoint({
  name: 'verifyApiKey',
  about:
    'Describes the API key in the Authorization header: its name, scopes, organization and expiry. The call needs ' +
    'no scope.',
  command: 'deck whoami',
  method: 'POST',
  caller: 'any-key',
  input: Input,
  answer: Answer,
  errors: [],
  runtime: { class: 'hot' },
  cost: { roundTrips: 2, reads: 2, writes: 0 },

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
