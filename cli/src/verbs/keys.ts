import { randomUUID } from 'node:crypto';
import { commandLine } from '../command-line';
import { Failure, isFailure, usageFailure } from '../../../client/src/failure';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';

export type ListedKey = Contract['listApiKeys']['answer']['keys'][number];
export type Scope = ListedKey['scopes'][number];
export type NewKey = Contract['createApiKey']['input'];
export type MadeKey = Contract['createApiKey']['answer']['apiKey'] & { raw: string };

/** The keys that the service accepts, the newest first. */
export async function listLiveKeys(service: DeckService): Promise<ListedKey[]> {
  const { keys } = await service.get('listApiKeys');
  return keys.filter(isLive);
}

export function isLive({ status, expiresAt }: ListedKey): boolean {
  return status === 'active' && (expiresAt === null || Date.parse(expiresAt) > Date.now());
}

/** The one key that the text names: by its id, its prefix or its name. */
export async function findKey(service: DeckService, text: string): Promise<ListedKey> {
  const keys = await listLiveKeys(service);
  const named = [
    keys.filter(({ keyId }) => keyId === text),
    keys.filter(({ keyPrefix }) => keyPrefix === text.slice(0, keyPrefix.length)),
    keys.filter(({ name }) => name === text),
  ].find(({ length }) => length > 0);
  const [key, ...others] = named ?? [];
  if (!key)
    throw new Failure(`There is no active key ${text}.`, {
      code: 'not-found',
      nextAction: `\`${commandLine('keys')}\` lists them.`,
    });
  if (others.length === 0) return key;
  const prefixes = [key, ...others].map(({ keyPrefix, keyId }) => `${keyPrefix} (${keyId})`).join(', ');
  throw usageFailure(
    `${others.length + 1} keys are named ${text}: ${prefixes}.`,
    'Name one of them by its prefix or id.',
  );
}

/**
 * Makes a key with a dashboard session. When the answer with the key is lost, nobody has the key: it is revoked, and
 * another one is made.
 */
export async function makeKey(session: DeckService, wanted: NewKey): Promise<MadeKey> {
  for (;;) {
    const { apiKey } = await session.post('createApiKey', wanted, { idempotencyKey: randomUUID() });
    const { raw, keyId } = apiKey;
    if (raw !== undefined) return { ...apiKey, raw };
    await session.post('revokeApiKey', { keyId });
  }
}

/** Revokes the key of the service's client by itself. Returns false when it is not valid any more. */
export async function revokeOwnKey(service: DeckService): Promise<boolean> {
  try {
    await service.post('revokeApiKey', {});
    return true;
  } catch (error) {
    if (isFailure(error, 'unauthenticated')) return false;
    throw error;
  }
}
