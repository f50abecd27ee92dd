import { isFailure } from '../../../client/src/failure';
import type { DeckService } from '../../../client/src/service/service';
import { addHints } from '../failure-hints';
import { changeProfile, type Profile, type StoredKey } from '../profiles';
import type { Terminal } from '../terminal';
import type { Contract } from '../../../client/src/service/contract';
import { revokeOwnKey } from '../verbs/keys';

/** The account that a signup or login answers. */
export type Account = Omit<Contract['cliCompleteLogin']['answer'], 'deviceToken'> & {
  email: string;
  /** The mark of the key, when a login made it. */
  mark?: string;
};

/**
 * Stores the new key in the profile, and then revokes the key that it replaces: whatever happens between, the user has
 * a valid key. The profile holds the replaced key until it is revoked, also through a logout.
 */
export async function storeKey(
  service: DeckService,
  { name, baseUrl }: Profile,
  { email, organizationId, organizationName, apiKey: { raw, keyPrefix }, mark }: Account,
  terminal: Terminal,
): Promise<void> {
  let replaced: StoredKey | undefined;
  let stored: Profile = { name, baseUrl };
  await changeProfile(name, (profile = stored) => {
    const { key, replacedKeys = [], makingKeys } = profile;
    replaced = key;
    stored = {
      ...profile,
      key: { raw, keyPrefix, email, organizationId, organizationName },
      replacedKeys: key ? [...replacedKeys, key.raw] : replacedKeys,
      makingKeys: makingKeys?.filter((each) => each.mark !== mark),
    };
    return stored;
  });
  const before = replaced
    ? `the previous key of this computer, ${replaced.keyPrefix}…`
    : 'an earlier key of this computer, which a logout could not revoke';
  try {
    if (await revokeReplacedKeys(service, stored)) terminal.say(`Revoked ${before}`);
  } catch (error) {
    if (!isFailure(error)) throw error;
    terminal.warn(`The client did not revoke ${before}: ${addHints(error).message} The next login revokes this key.`);
  }
}

/** Revokes the keys that logins of the profile replaced. Returns whether one of them was still valid. */
export async function revokeReplacedKeys(service: DeckService, { name, replacedKeys = [] }: Profile): Promise<boolean> {
  let isRevoked = false;
  for (const key of replacedKeys) {
    const replaced = service.withKey(key);
    try {
      isRevoked = (await revokeOwnKey(replaced)) || isRevoked;
    } finally {
      replaced.close();
    }
    await changeProfile(
      name,
      (profile) => profile && { ...profile, replacedKeys: profile.replacedKeys?.filter((each) => each !== key) },
    );
  }
  return isRevoked;
}
