import { Command, Option } from 'commander';
import { reportReasons, type ReportReason } from '../listing-choices';
import { withService, type CommonOptions } from '../session';
import type { Terminal } from '../terminal';
import { reportListing } from '../verbs/marketplace';

interface ReportOptions extends CommonOptions {
  reason: ReportReason;
  message?: string;
}

export function reportCommand(terminal: Terminal): Command {
  return new Command('report')
    .description('report a listing to the operator of the service')
    .argument('<slug>', 'the slug of the listing')
    .addOption(new Option('--reason <reason>', 'why').choices(reportReasons).makeOptionMandatory())
    .option('--message <text>', 'details for the operator, at most 2 000 characters')
    .action((slug: string, _options, self: Command) => runReport(slug, self.optsWithGlobals(), terminal));
}

async function runReport(slug: string, options: ReportOptions, terminal: Terminal): Promise<void> {
  const { reason, message: details } = options;
  const report = await withService(options, terminal, ({ service }) =>
    reportListing(service, { slug, reason, details }),
  );
  const { green, bold } = terminal.colors;
  terminal.say(`${green('✓')} Reported ${bold(slug)} to the operator of the service.`);
  terminal.say('A second report from you with the same reason does not count.');
  terminal.answer({ ...report, reason });
}
