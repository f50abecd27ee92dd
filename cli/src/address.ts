import { usageFailure } from '../../client/src/failure';
import { DEFAULT_BASE_URL, parseBaseUrl } from './base-url';
import { commandLine } from './command-line';
import { currentProfile, newProfileName, readProfiles, requireProfileName, type Profile } from './profiles';

/** The options with which the user names a service. Every command has them. */
export interface AddressOptions {
  baseUrl?: string;
  profile?: string;
  /** The account that calls over HTTP. Only a process that serves others has it, and no word of a command sets it. */
  account?: Account;
}

/** A service, and a key of the caller there. */
export interface Account {
  baseUrl: string;
  key: string;
}

/** The service that a command calls, and the account of the user there. */
export interface Address {
  baseUrl: string;
  /** The profile whose key is used; undefined when the user is not known at this address. */
  profile: Profile | undefined;
  /** The key that came with the address. Undefined where the user's computer has the keys. */
  key?: string;
  /** Whether the user named the profile with `--profile`. Then its key has precedence over DECK_API_KEY. */
  isProfileNamed: boolean;
  /** Whether only the folder's `.deck.json` names this address. A folder may come from another person. */
  isForeign: boolean;
}

/**
 * The address is the first that exists of: the caller's account, `--base-url`, the profile of `--profile`,
 * DECK_BASE_URL, the profile of DECK_PROFILE, the address in the folder's `.deck.json` (`remembered`), the current
 * profile, the local cloud.
 */
export async function resolveAddress(options: AddressOptions, remembered?: string): Promise<Address> {
  if (options.account) return { ...options.account, profile: undefined, isProfileNamed: false, isForeign: false };
  const profiles = await readProfiles();
  const current = await currentProfile(profiles);
  const chosen = choose(options, profiles);
  const usual = chosen?.baseUrl ?? current?.baseUrl ?? DEFAULT_BASE_URL;
  const baseUrl = !chosen && remembered !== undefined ? parseBaseUrl(remembered) : usual;
  const isHere = (profile: Profile | undefined) => profile?.baseUrl === baseUrl;
  const candidates = [chosen?.profile, profiles.find(({ name }) => name === process.env['DECK_PROFILE']), current];
  const profile = candidates.find(isHere) ?? profiles.find((each) => isHere(each) && each.key) ?? profiles.find(isHere);
  return { baseUrl, profile, isProfileNamed: options.profile !== undefined, isForeign: baseUrl !== usual };
}

/** What the options and the environment name. */
function choose(
  options: AddressOptions,
  profiles: readonly Profile[],
): { baseUrl: string; profile?: Profile } | undefined {
  const named = options.profile === undefined ? undefined : requireProfile(options.profile, profiles);
  if (options.baseUrl !== undefined) {
    const baseUrl = parseBaseUrl(options.baseUrl);
    if (named && named.baseUrl !== baseUrl) throw otherAddress(named, baseUrl);
    return { baseUrl, ...(named && { profile: named }) };
  }
  if (named) return { baseUrl: named.baseUrl, profile: named };
  if (process.env['DECK_BASE_URL']) return { baseUrl: parseBaseUrl(process.env['DECK_BASE_URL']) };
  if (!process.env['DECK_PROFILE']) return undefined;
  const profile = requireProfile(process.env['DECK_PROFILE'], profiles);
  return { baseUrl: profile.baseUrl, profile };
}

export function requireProfile(name: string, profiles: readonly Profile[]): Profile {
  const profile = profiles.find((each) => each.name === name);
  if (profile) return profile;
  const known = profiles.map((each) => each.name).join(', ');
  throw usageFailure(
    `There is no profile ${requireProfileName(name)} on this computer.`,
    known ? `Profiles: ${known}` : `\`${commandLine('login')}\` makes a profile.`,
  );
}

function otherAddress({ name, baseUrl }: Profile, wanted: string): Error {
  return usageFailure(
    `The profile ${name} is at ${baseUrl}, not at ${wanted}.`,
    'Omit --base-url, or name another profile.',
  );
}

/**
 * The profile that a login writes: that of the options and the environment, or else a new one with a name from its
 * host. A name that does not exist yet makes a new profile.
 */
export async function resolveSignIn(options: AddressOptions): Promise<Profile> {
  const profiles = await readProfiles();
  const wanted = options.profile ?? (process.env['DECK_PROFILE'] || undefined);
  if (wanted !== undefined && !profiles.some(({ name }) => name === wanted)) {
    const named = options.baseUrl ?? (process.env['DECK_BASE_URL'] || undefined);
    const baseUrl = named ?? (await currentProfile(profiles))?.baseUrl ?? DEFAULT_BASE_URL;
    return { name: requireProfileName(wanted), baseUrl: parseBaseUrl(baseUrl) };
  }
  const { baseUrl, profile } = await resolveAddress(options);
  const taken = profiles.map(({ name }) => name);
  return profile ?? { name: newProfileName(baseUrl, taken), baseUrl };
}
