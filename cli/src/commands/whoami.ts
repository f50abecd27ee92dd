import { Command } from 'commander';
import { resolveAddress, type AddressOptions } from '../address';
import { connect } from '../connect';
import { requireKey } from '../keys';
import { profilePath } from '../profiles';
import type { Terminal } from '../terminal';

export function whoamiCommand(terminal: Terminal): Command {
  return new Command('whoami')
    .description('show the profile, organization, scopes and expiry of the key in use')
    .action((_options, self: Command) => runWhoami(self.optsWithGlobals(), terminal));
}

async function runWhoami(options: AddressOptions, terminal: Terminal): Promise<void> {
  const address = await resolveAddress(options);
  const { baseUrl } = address;
  const key = requireKey(address, terminal);
  // Undefined for a key of DECK_API_KEY, which need not belong to the account of the profile.
  const profile = address.profile?.key?.raw === key ? address.profile : undefined;
  const service = connect(baseUrl, terminal, key);
  try {
    const answer = await service.post('verifyApiKey', {});
    const email = profile?.key?.email;
    const source = profile ? profilePath(profile.name) : options.account ? 'the request' : 'DECK_API_KEY';
    const { bold, dim } = terminal.colors;
    const organization = answer.organizationName ?? 'every organization (an admin key)';
    terminal.say(`${bold(organization)}${email === undefined ? '' : ` (${email})`} at ${baseUrl}`);
    terminal.say(`  profile  ${profile?.name ?? 'none'}`);
    terminal.say(`  key      ${answer.keyPrefix}… "${answer.keyName}" ${dim(`from ${source}`)}`);
    terminal.say(`  scopes   ${answer.scopes.join(', ')}`);
    terminal.say(`  expires  ${answer.expiresAt ?? 'never'}`);
    terminal.answer({ profile: profile?.name, baseUrl, email, source, ...answer });
  } finally {
    service.close();
  }
}
