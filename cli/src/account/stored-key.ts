import { isFailure } from '../../../client/src/failure';
import type { DeckService } from '../../../client/src/service/service';
import { addHints } from '../failure-hints';
import { marksOfOthers, writeProfile, type Profile } from '../profiles';
import type { Terminal } from '../terminal';
import type { Contract } from '../../../client/src/service/contract';
import { revokeOwnKey } from '../verbs/keys';

/** The account that a signup or login answers. */
export type Account = Contract['cliCompleteLogin']['answer'] & { email: string };

/**
 * Stores the new key in the profile, and then revokes the key that it replaces: whatever happens between, the user has a
 * valid key. The profile holds the replaced key until it is revoked.
 */
export async function storeKey(
  service: DeckService,
  { name, baseUrl, key: replaced, makingKeys }: Profile,
  { email, organizationId, organizationName, apiKey: { raw, keyPrefix } }: Account,
  terminal: Terminal,
): Promise<void> {
  const key = { raw, keyPrefix, email, organizationId, organizationName };
  const lost = marksOfOthers(makingKeys, organizationId);
  const profile = { name, baseUrl, key, replacedKey: replaced?.raw, ...(lost.length > 0 && { makingKeys: lost }) };
  await writeProfile(profile);
  if (!replaced) return;
  try {
    const isRevoked = await revokeReplacedKey(service, profile);
    if (isRevoked) terminal.say(`Revoked the key ${replaced.keyPrefix}… that this computer had before.`);
  } catch (error) {
    if (!isFailure(error)) throw error;
    terminal.warn(
      `The key ${replaced.keyPrefix}… that this computer had before was not revoked: ${addHints(error).message} The next login revokes it.`,
    );
  }
}

/** Revokes the key that the last login of the profile replaced, if that is still to do. */
export async function revokeReplacedKey(service: DeckService, { replacedKey, ...profile }: Profile): Promise<boolean> {
  if (replacedKey === undefined) return false;
  const replaced = service.withKey(replacedKey);
  try {
    const isRevoked = await revokeOwnKey(replaced);
    await writeProfile(profile);
    return isRevoked;
  } finally {
    replaced.close();
  }
}
