import { join } from 'node:path';
import type { Address } from './address';
import { Failure } from '../../client/src/failure';
import { readJson, writeSecretJson } from '../../client/src/json-file';
import { configFolder } from './config-folder';

/** A stored key. There is one key for each base URL. */
export interface StoredKey {
  raw: string;
  keyPrefix: string;
  email: string;
  organizationId: string;
  organizationName: string;
}

type KeyFile = Record<string, StoredKey>;

/** The path of the file that holds the keys. */
export function keysPath(): string {
  return join(configFolder(), 'keys.json');
}

export async function findKey(baseUrl: string): Promise<StoredKey | undefined> {
  return (await readJson<KeyFile>(keysPath()))?.[baseUrl];
}

export async function storeKey(baseUrl: string, key: StoredKey): Promise<void> {
  await writeSecretJson(keysPath(), { ...(await readJson<KeyFile>(keysPath())), [baseUrl]: key });
}

/** Deletes the stored key. Returns whether there was one. */
export async function deleteKey(baseUrl: string): Promise<boolean> {
  const { [baseUrl]: deleted, ...others } = (await readJson<KeyFile>(keysPath())) ?? {};
  if (deleted) await writeSecretJson(keysPath(), others);
  return deleted !== undefined;
}

/**
 * The key for calls to the address. DECK_API_KEY has precedence over the stored key, but only for an address that the
 * user named. A folder from another person can name any address in its `.deck.json`, and must not receive the key
 * there.
 */
export async function requireKey({ baseUrl, isFromFolder }: Address): Promise<string> {
  const fromEnvironment = process.env['DECK_API_KEY'];
  if (fromEnvironment && !isFromFolder) return fromEnvironment;
  const stored = await findKey(baseUrl);
  if (stored) return stored.raw;
  throw new Failure(`You are not signed in to ${baseUrl}.`, {
    code: 'not-signed-in',
    nextAction: fromEnvironment
      ? `This address comes from the folder's .deck.json. To use DECK_API_KEY there, name it yourself: --base-url ${baseUrl}`
      : 'Run `deck login`, or `deck signup` if you do not have an account yet.',
  });
}
