import type { z } from 'zod';
import type { ApiKey } from '../records/api-keys';
import type { createdApiKey } from './fields';

/** A key in the one answer that carries its raw value. */
export function createdKeyView(key: ApiKey & { raw: string }): z.output<typeof createdApiKey> {
  const { keyId, raw, keyPrefix, name, scopes } = key;
  return { keyId, raw, keyPrefix, name, scopes, createdAt: key.createdAt.toISOString() };
}

/** ISO 8601 with milliseconds, or null. */
export function iso(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
