import { isFailure } from '../../../client/src/failure';
import { count, plain } from '../../../client/src/format';
import type { DeckService } from '../../../client/src/service/service';
import { askMailedCode, withAccountSession } from '../account/account-session';
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
    const { email } = await remove(session, { email: user.email, confirm }, terminal);
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

async function remove(
  session: DeckService,
  { email, confirm }: { email: string; confirm: string },
  terminal: Terminal,
): Promise<{ email: string }> {
  const { requestToken } = await session.post('requestAccountCode', { purpose: 'delete' }, { canRepeat: false });
  terminal.say(`Another code was sent to ${email}. It is valid for 10 minutes.`);
  for (;;) {
    const code = await askMailedCode(terminal, email);
    try {
      return await session.post('deleteAccount', { code, requestToken, confirm }, { canRepeat: false });
    } catch (error) {
      if (!isFailure(error, 'OTP_INVALID')) throw error;
      terminal.warn(error.message);
    }
  }
}
