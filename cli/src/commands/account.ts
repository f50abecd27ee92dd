import { Command } from 'commander';
import { plain } from '../../../client/src/format';
import { withSession, type CommonOptions } from '../session';
import type { Terminal } from '../terminal';
import { deleteAccount } from './account-delete';
import { changeAccountEmail } from './account-email';
import { exportAccount } from './account-export';
import { importAccount } from './account-import';

export function accountCommand(terminal: Terminal): Command {
  return new Command('account')
    .description('show the user and the organization of the key in use, or export it, change its address or delete it')
    .action((_options, self: Command) => runAccount(self.optsWithGlobals(), terminal))
    .addCommand(
      new Command('delete')
        .description('delete your account with all decks, with codes from two mails; tells first what that does')
        .option('--email <address>', 'your email address')
        .action((_options, self: Command) => deleteAccount(self.optsWithGlobals(), terminal)),
    )
    .addCommand(
      new Command('email')
        .description('change the address of your account, with a code from each of the two addresses')
        .argument('<address>', 'the new email address')
        .action((address: string, _options, self: Command) =>
          changeAccountEmail(address, self.optsWithGlobals(), terminal),
        ),
    )
    .addCommand(
      new Command('export')
        .description('download everything of your account, with codes from two mails')
        .requiredOption('--out <folder>', 'a new folder; an interrupted download of the same folder goes on')
        .option('--email <address>', 'your email address')
        .action((_options, self: Command) => exportAccount(self.optsWithGlobals(), terminal)),
    )
    .addCommand(
      new Command('import')
        .description('make the decks of an export at the service of --base-url, with new links')
        .argument('<folder>', 'the folder of the export')
        .action((folder: string, _options, self: Command) => importAccount(folder, self.optsWithGlobals(), terminal)),
    );
}

async function runAccount(options: CommonOptions, terminal: Terminal): Promise<void> {
  await withSession(options, terminal, async ({ service, baseUrl }) => {
    const account = await service.get('getAccount');
    const { user, organization } = account;
    terminal.say(`${terminal.colors.bold(plain(user.displayName))} (${user.email}) at ${baseUrl}`);
    const rows = [
      ['organization', organization.name],
      ['plan', organization.plan],
      ['description', organization.description],
      ['tone', organization.tone],
      ['colour', organization.brandPrimary],
      ['logo', organization.logo?.contentType],
    ] as const;
    for (const [label, value] of rows) if (value) terminal.say(`  ${label.padEnd(12)}  ${plain(value)}`);
    terminal.answer({ baseUrl, ...account });
  });
}
