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

/** The profile keeps its name and address: `deck login` goes to the same service again. */
async function runLogout(options: AddressOptions, terminal: Terminal): Promise<void> {
  const { baseUrl, profile } = await resolveAddress(options);
  const isForgotten = profile?.key !== undefined;
  const isRevoked = profile !== undefined && (await revokeKeys(profile, terminal));
  if (profile)
    await changeProfile(profile.name, (present) =>
      hasKeyOf(present, profile) ? { name: profile.name, baseUrl, makingKeys: present.makingKeys } : present,
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

/** Revokes the keys of the profile. Returns whether its present key was revoked. When that fails, it warns. */
export async function revokeKeys(profile: Profile, terminal: Terminal): Promise<boolean> {
  const { baseUrl, key } = profile;
  const service = connect(baseUrl, terminal, key?.raw);
  try {
    await revokeReplacedKeys(service, profile);
    const isRevoked = key !== undefined && (await revokeOwnKey(service));
    if (isRevoked) terminal.say('Revoked the key. Copies of this key no longer work.');
    return isRevoked;
  } catch (error) {
    if (!isFailure(error)) throw error;
    terminal.warn(`The key was not revoked: ${addHints(error).message} Copies of this key still work.`);
    return false;
  } finally {
    service.close();
  }
}
