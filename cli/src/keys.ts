import { join } from 'node:path';
import { Failure } from './failure';
import { configFolder, readJson, writeSecret } from './storage';

/** A key as it is remembered: one for each base URL. */
export interface StoredKey {
  raw: string;
  keyPrefix: string;
  email: string;
  organizationId: string;
  organizationName: string;
}

type KeyFile = Record<string, StoredKey>;

/** The file that holds the keys. */
export function keysPath(): string {
  return join(configFolder(), 'keys.json');
}

export async function findKey(baseUrl: string): Promise<StoredKey | undefined> {
  return (await readJson<KeyFile>(keysPath()))?.[baseUrl];
}

export async function rememberKey(baseUrl: string, key: StoredKey): Promise<void> {
  await writeSecret(keysPath(), { ...(await readJson<KeyFile>(keysPath())), [baseUrl]: key });
}

/** Whether there was a key to forget. */
export async function forgetKey(baseUrl: string): Promise<boolean> {
  const { [baseUrl]: forgotten, ...others } = (await readJson<KeyFile>(keysPath())) ?? {};
  if (forgotten) await writeSecret(keysPath(), others);
  return forgotten !== undefined;
}

/**
 * The key for calls to `baseUrl`. DECK_API_KEY goes before the stored one, but only to an address that the user named:
 * a `.deck.json` in a folder from somebody else must not be able to send it elsewhere.
 */
export async function requireKey({ baseUrl, isFromFolder }: Address): Promise<string> {
  const fromEnvironment = process.env['DECK_API_KEY'];
  if (fromEnvironment && !isFromFolder) return fromEnvironment;
  const stored = await findKey(baseUrl);
  if (stored) return stored.raw;
  throw new Failure(`You are not signed in to ${baseUrl}.`, {
    code: 'not-signed-in',
    nextAction: fromEnvironment
      ? `This folder's deck lives there; to use DECK_API_KEY for it, name the address yourself: --base-url ${baseUrl}`
      : 'Run `deck login`, or `deck signup` if you have no account yet.',
  });
}

/** Where the service is, and whether the pushed folder (and not the user) said so. */
export interface Address {
  baseUrl: string;
  isFromFolder: boolean;
}
