import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { usageFailure } from '../../client/src/failure';
import { readJson, writeSecretJson } from '../../client/src/json-file';
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
  /** The key before `key`, until it is revoked. */
  replacedKey?: string | undefined;
  /** The keys that logins were making. One that is not stored here is lost, and a login revokes it. */
  makingKeys?: readonly KeyMark[] | undefined;
}

/** A key that a login is making: its organization, and the mark in its description. */
export interface KeyMark {
  mark: string;
  /** Undefined in the file of an earlier version of the client. */
  organizationId?: string | undefined;
}

/** `makingKey` is the mark of an earlier version of the client. */
type ProfileFile = Omit<Profile, 'name'> & { makingKey?: string };

/** The keys of earlier versions of the client, by the base URL of the service. */
type OldKeyFile = Record<string, StoredKey>;

/**
 * The profiles of this computer, each in a file of its own: two commands that write different profiles at the same time
 * cannot undo each other's work, and every write is atomic.
 */
const folder = () => join(configFolder(), 'profiles');
export const profilePath = (name: string) => join(folder(), `${name}.json`);
const currentPath = () => join(configFolder(), 'current-profile.json');
const oldKeysPath = () => join(configFolder(), 'keys.json');

/** All profiles, in the order of their names. A profile file has precedence over an old key with its name. */
export async function readProfiles(): Promise<Profile[]> {
  const profiles = new Map((await oldProfiles()).map((profile) => [profile.name, profile]));
  const files = await readdir(folder()).catch(() => []);
  for (const name of files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length))) {
    const file = await readJson<ProfileFile>(profilePath(name));
    if (file) profiles.set(name, profileOf(name, file));
  }
  return [...profiles.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The keys of logins to other organizations, which may be lost there. */
export function marksOfOthers(marks: readonly KeyMark[] = [], organizationId: string): KeyMark[] {
  return marks.filter((each) => each.organizationId !== undefined && each.organizationId !== organizationId);
}

function profileOf(name: string, { makingKey, ...file }: ProfileFile): Profile {
  return { name, ...file, ...(makingKey !== undefined && { makingKeys: [{ mark: makingKey }] }) };
}

/** Writes the profile. It becomes the current one when there is no other. */
export async function writeProfile({ name, ...file }: Profile): Promise<void> {
  await convertOldKeys();
  const current = await currentProfile(await readProfiles());
  await writeSecretJson(profilePath(name), file satisfies ProfileFile);
  if (!current) await useProfile(name);
}

export async function deleteProfile(name: string): Promise<void> {
  await convertOldKeys();
  await rm(profilePath(name), { force: true });
}

/** Makes the profile the current one. */
export async function useProfile(name: string): Promise<void> {
  await writeSecretJson(currentPath(), { name });
}

/**
 * The profile that is used when nothing else names one. Before profiles, the client used the local cloud then: it comes
 * first among old keys.
 */
export async function currentProfile(profiles: readonly Profile[]): Promise<Profile | undefined> {
  const stored = await readJson<{ name: string }>(currentPath());
  if (stored) return profiles.find(({ name }) => name === stored.name);
  return profiles.find(({ baseUrl }) => baseUrl === DEFAULT_BASE_URL) ?? profiles[0];
}

/** Checks a name that the user chose: it becomes the name of a file. */
export function requireProfileName(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,62}$/.test(name)) return name;
  throw usageFailure(
    `"${name}" is not a name for a profile.`,
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

async function oldProfiles(): Promise<Profile[]> {
  const profiles: Profile[] = [];
  for (const [baseUrl, key] of Object.entries((await readJson<OldKeyFile>(oldKeysPath())) ?? {})) {
    if (!URL.canParse(baseUrl)) continue;
    const taken = profiles.map(({ name }) => name);
    profiles.push({ name: newProfileName(baseUrl, taken), baseUrl, key });
  }
  return profiles;
}

/** Moves the keys of earlier versions into profiles. Interrupted, it is complete after the next call. */
async function convertOldKeys(): Promise<void> {
  const old = await oldProfiles();
  if (old.length === 0) return;
  const profiles = await readProfiles();
  const current = await currentProfile(profiles);
  for (const { name } of old) {
    const { name: _name, ...file } = profiles.find((profile) => profile.name === name)!;
    await writeSecretJson(profilePath(name), file);
  }
  if (current) await useProfile(current.name);
  await rm(oldKeysPath(), { force: true });
}
