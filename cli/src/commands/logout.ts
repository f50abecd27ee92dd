import { Command } from 'commander';
import { revokeReplacedKeys } from '../account/stored-key';
import { resolveAddress, type AddressOptions } from '../address';
import { isFailure } from '../../../client/src/failure';
import { connect } from '../connect';
import { addHints } from '../failure-hints';
import { changeProfile, type Profile } from '../profiles';
import type { Terminal } from '../terminal';
import { revokeOwnKey } from '../verbs/keys';

export function logoutCommand(terminal: Terminal): Command {
  return new Command('logout')
    .description('revoke the key of the profile, and delete it from this computer')
    .action((_options, self: Command) => runLogout(self.optsWithGlobals(), terminal));
}

/**
 * The profile keeps its name and address: `deck login` goes to the same service again. It also keeps the keys that were
 * not revoked, which that login revokes.
 */
async function runLogout(options: AddressOptions, terminal: Terminal): Promise<void> {
  const { baseUrl, profile } = await resolveAddress(options);
  const isForgotten = profile?.key !== undefined;
  const isRevoked = profile !== undefined && (await revokeKeys(profile, terminal));
  if (profile)
    await changeProfile(profile.name, (present) =>
      hasKeyOf(present, profile) ? { ...present, key: undefined } : present,
    );
  const name = profile?.name;
  terminal.say(isForgotten ? `Deleted the stored key for ${baseUrl} (profile ${name}).` : noKey(baseUrl));
  if (process.env['DECK_API_KEY']) terminal.warn('DECK_API_KEY is still set. The client keeps using it.');
  terminal.answer({ profile: name, baseUrl, forgotten: isForgotten, revoked: isRevoked });
}

/** Whether the profile still has the key that this command has read, and no newer one. */
export const hasKeyOf = (present: Profile | undefined, { key }: Profile): present is Profile =>
  present !== undefined && present.key?.raw === key?.raw;

const noKey = (baseUrl: string) => `There was no stored key for ${baseUrl}.`;

/**
 * Revokes the keys of the profile, its present one first. Returns whether that one was revoked. A failure is a warning.
 */
export async function revokeKeys(profile: Profile, terminal: Terminal): Promise<boolean> {
  const { baseUrl, key } = profile;
  const service = connect(baseUrl, terminal, key?.raw);
  let [which, isRevoked] = ['The key', false];
  try {
    isRevoked = key !== undefined && (await revokeOwnKey(service));
    if (isRevoked) terminal.say('Revoked the key. Copies of this key no longer work.');
    which = 'An earlier key of this computer';
    await revokeReplacedKeys(service, profile);
  } catch (error) {
    if (!isFailure(error)) throw error;
    terminal.warn(`${which} was not revoked: ${addHints(error).message} Copies of this key still work.`);
  } finally {
    service.close();
  }
  return isRevoked;
}
