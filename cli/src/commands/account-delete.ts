import { count, plain } from '../../../client/src/format';
import { withAccountSession, withActCode } from '../account/account-session';
import { forgetTokens } from '../account/code-tokens';
import type { AddressOptions } from '../address';
import { commandLine } from '../command-line';
import { changeProfile, readProfiles } from '../profiles';
import { rememberOrWarn } from '../remember';
import type { Terminal } from '../terminal';

/**
 * Deletes the account: tells first what that does, and then asks for the name of the organization and a code. The
 * profiles of the account on this computer go, too. Folders of decks stay.
 */
export async function deleteAccount(options: AddressOptions & { email?: string }, terminal: Terminal): Promise<void> {
  await withAccountSession(['delete'], options, terminal, async (session, { baseUrl }) => {
    const [{ user, organization }, { decks }] = [await session.get('getAccount'), await session.get('getUsage')];
    const { bold, green } = terminal.colors;
    terminal.say(`This deletes ${bold(plain(organization.name))}, the account of ${user.email} at ${baseUrl}.`);
    for (const line of effects(decks.used)) terminal.say(line);
    terminal.say('It cannot be taken back. To keep a copy of everything, stop here with Ctrl-C, and run first:');
    terminal.say(`  ${commandLine('account', 'export', '--out', '<folder>')}`);
    const confirm = await terminal.ask(`Type the name of the organization (${plain(organization.name)}):`, (typed) =>
      typed === organization.name.trim() ? undefined : 'That is not its name. Ctrl-C keeps the account.',
    );
    const act = { purpose: 'delete', email: user.email } as const;
    const { email } = await withActCode(session, act, terminal, (entered) =>
      session.post('deleteAccount', { ...entered, confirm }, { canRepeat: false }),
    );
    for (const { name, ...profile } of await readProfiles())
      if (profile.baseUrl === baseUrl && profile.key?.organizationId === organization.organizationId)
        await rememberOrWarn(
          changeProfile(name, () => undefined),
          terminal,
        );
    await forgetTokens({ baseUrl, email });
    terminal.say(`${green('✓')} The account is deleted. A job deletes its decks and files now.`);
    terminal.say(`A mail to ${email} tells when everything is gone. Folders on this computer stay as they are.`);
  });
}

const effects = (decks: number): string[] => [
  '  at once  all devices are signed out, and no API key and no webhook works',
  `  then     a job closes your ${count(decks, 'deck')}, the newest first, with their links and`,
  '           listings, deletes everything else, and mails you when it is done',
  '  stays    what others remixed; a keyed hash in place of your address in the',
  '           mails that others sent you; for 90 days, without your address,',
  '           take-downs, reports and stopped mails; for some days the backups',
];
