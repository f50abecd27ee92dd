import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { usageFailure } from '../../client/src/failure';
import { changeSecretJson, readJson, writeSecretJson } from '../../client/src/json-file';
import { DEFAULT_BASE_URL } from './base-url';
import { configFolder } from './config-folder';

/** The key of an account, as the service answered it once. */
export interface StoredKey {
  raw: string;
  keyPrefix: string;
  email: string;
  organizationId: string;
  organizationName: string;
}

/** A service, and the account of the user there. */
export interface Profile {
  name: string;
  baseUrl: string;
  /** Absent after `deck logout`. */
  key?: StoredKey | undefined;
  /** The keys before `key`, until they are revoked. */
  replacedKeys?: readonly string[] | undefined;
  /** The keys that logins were making. One that is not stored here is lost, and a login revokes it. */
  makingKeys?: readonly KeyMark[] | undefined;
}

/** A key that a login is making: its organization, and the mark in its description. */
export interface KeyMark {
  mark: string;
  organizationId: string;
}

/** The profiles of this computer, each in a file of its own. */
const folder = () => join(configFolder(), 'profiles');
export const profilePath = (name: string) => join(folder(), `${name}.json`);
const currentPath = () => join(configFolder(), 'current-profile.json');

/** All profiles, in the order of their names. */
export async function readProfiles(): Promise<Profile[]> {
  const files = (await readdir(folder()).catch(() => [])).filter((file) => file.endsWith('.json'));
  const profiles: Profile[] = [];
  for (const name of files.map((file) => file.slice(0, -'.json'.length)).sort()) {
    const file = await readJson<Omit<Profile, 'name'>>(profilePath(name));
    if (file) profiles.push({ name, ...file });
  }
  return profiles;
}

/**
 * Changes the profile as it is now: another command may have changed it since this one has read it. Undefined deletes
 * it. It becomes the current profile when there is no other.
 */
export async function changeProfile(
  name: string,
  change: (profile: Profile | undefined) => Profile | undefined,
): Promise<void> {
  await changeSecretJson<Omit<Profile, 'name'>>(profilePath(name), (file) => {
    const changed = change(file && { name, ...file });
    if (!changed) return undefined;
    const { name: _name, ...content } = changed;
    return content;
  });
  const names = (await readProfiles()).map((profile) => profile.name);
  if (!names.includes(name)) return;
  await changeSecretJson<{ name: string }>(currentPath(), (current) =>
    current && names.includes(current.name) ? current : { name },
  );
}

/** Makes the profile the current one. */
export async function useProfile(name: string): Promise<void> {
  await writeSecretJson(currentPath(), { name });
}

/** The profile that is used when nothing else names one. */
export async function currentProfile(profiles: readonly Profile[]): Promise<Profile | undefined> {
  const stored = await readJson<{ name: string }>(currentPath());
  return profiles.find(({ name }) => name === stored?.name);
}

/** Checks a name that the user chose: it becomes the name of a file. */
export function requireProfileName(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,62}$/.test(name)) return name;
  throw usageFailure(
    `"${name}" is not a valid name for a profile.`,
    'A name has 1 to 63 lower-case letters, digits, dots, hyphens and underscores, and begins with a letter or digit.',
  );
}

/** A name that no other profile has: `local` for the local cloud, or else the host of the service. */
export function newProfileName(baseUrl: string, taken: readonly string[]): string {
  const host = new URL(baseUrl).host.replace(/[^a-z0-9.]+/g, '-').replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
  const name = baseUrl === DEFAULT_BASE_URL ? 'local' : host.slice(0, 60);
  let free = name;
  for (let number = 2; taken.includes(free); number++) free = `${name}-${number}`;
  return free;
}
