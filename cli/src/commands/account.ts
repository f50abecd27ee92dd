import { Command } from 'commander';
import { plain } from '../../../client/src/format';
import { withSession, type CommonOptions } from '../session';
import type { Terminal } from '../terminal';

export function accountCommand(terminal: Terminal): Command {
  return new Command('account')
    .description('show the user and the organization of the key in use')
    .action((_options, self: Command) => runAccount(self.optsWithGlobals(), terminal));
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
