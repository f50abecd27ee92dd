import { Command } from 'commander';
import { formatBytes } from '../../../client/src/format';
import type { Contract } from '../../../client/src/service/contract';
import { withSession, type CommonOptions } from '../session';
import type { Terminal } from '../terminal';

type Usage = Contract['getUsage']['answer'];

/** A number of GB without decimals where it has none: `5 GB`, as the plans name their limits. */
const bytes = (amount: number) => formatBytes(amount).replace('.0 ', ' ');
const number = (amount: number) => amount.toLocaleString('en');

const rows: readonly [name: Exclude<keyof Usage, 'plan'>, label: string, format: (amount: number) => string][] = [
  ['decks', 'decks', number],
  ['storedBytes', 'stored', bytes],
  ['grantedBytes', 'open uploads', bytes],
  ['newDecksThisHour', 'new decks, last hour', number],
  ['mailsToday', 'mails, last 24 hours', number],
  ['keys', 'active keys', number],
];

export function usageCommand(terminal: Terminal): Command {
  return new Command('usage')
    .description("show how much of the plan's limits your organization uses")
    .action((_options, self: Command) => runUsage(self.optsWithGlobals(), terminal));
}

async function runUsage(options: CommonOptions, terminal: Terminal): Promise<void> {
  await withSession(options, terminal, async ({ service, baseUrl }) => {
    const usage = await service.get('getUsage');
    const { bold, yellow } = terminal.colors;
    terminal.say(`Plan ${bold(usage.plan)}`);
    const width = Math.max(...rows.map(([, label]) => label.length));
    for (const [name, label, format] of rows) {
      const { used, limit } = usage[name];
      const text = `${format(used)} of ${format(limit)}`;
      terminal.say(`  ${label.padEnd(width)}  ${used >= limit ? yellow(text) : text}`);
    }
    terminal.answer({ baseUrl, ...usage });
  });
}
