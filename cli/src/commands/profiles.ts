import { Command } from 'commander';
import { requireProfile } from '../address';
import { columns } from '../columns';
import { commandLine } from '../command-line';
import { changeProfile, currentProfile, readProfiles, useProfile } from '../profiles';
import type { Terminal } from '../terminal';
import { hasKeyOf, revokeKeys } from './logout';

export function profilesCommand(terminal: Terminal): Command {
  const profiles = new Command('profiles').description('list the services and accounts of this computer');
  profiles
    .command('list', { isDefault: true })
    .description('list the profiles')
    .action(() => listProfiles(terminal));
  profiles
    .command('use')
    .description('use the profile where nothing else names a service')
    .argument('<profile>', 'the name of the profile')
    .action((name: string) => runUse(name, terminal));
  profiles
    .command('remove')
    .description('revoke the key of the profile, and delete the profile from this computer')
    .argument('<profile>', 'the name of the profile')
    .action((name: string) => removeProfile(name, terminal));
  return profiles;
}

async function listProfiles(terminal: Terminal): Promise<void> {
  const profiles = await readProfiles();
  const current = await currentProfile(profiles);
  const rows = profiles.map(({ name, baseUrl, key }) => {
    const account = key ? { email: key.email, organizationName: key.organizationName } : {};
    return { name, baseUrl, current: name === current?.name, ...account };
  });
  const lines = columns(
    rows.map(({ name, baseUrl, email, current: isCurrent }) => [
      `${isCurrent ? '*' : ' '} ${name}`,
      email ?? 'signed out',
      baseUrl,
    ]),
  );
  for (const line of lines) terminal.say(line);
  if (rows.length === 0) terminal.say(`There is no profile yet. Make one: ${commandLine('login')}`);
  terminal.answer({ profiles: rows });
}

async function runUse(name: string, terminal: Terminal): Promise<void> {
  const { baseUrl } = requireProfile(name, await readProfiles());
  await useProfile(name);
  terminal.say(`${terminal.colors.green('✓')} Using the profile ${terminal.colors.bold(name)} at ${baseUrl}`);
  if (process.env['DECK_BASE_URL'] ?? process.env['DECK_PROFILE'])
    terminal.warn('DECK_BASE_URL or DECK_PROFILE is set. It has precedence over the current profile.');
  terminal.answer({ status: 'current', name, baseUrl });
}

async function removeProfile(name: string, terminal: Terminal): Promise<void> {
  const profile = requireProfile(name, await readProfiles());
  const isRevoked = await revokeKeys(profile, terminal);
  await changeProfile(name, (present) => (hasKeyOf(present, profile) ? undefined : present));
  terminal.say(`${terminal.colors.green('✓')} Removed the profile ${terminal.colors.bold(name)}`);
  terminal.answer({ status: 'removed', name, baseUrl: profile.baseUrl, revoked: isRevoked });
}
