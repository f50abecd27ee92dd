import { Command } from 'commander';
import { version } from '../../package.json';
import type { AddressOptions } from '../address';
import type { Terminal } from '../terminal';

export function versionCommand(terminal: Terminal): Command {
  return new Command('version')
    .description('show the version of the client, and of the service that you name')
    .action((_options, self: Command) => runVersion(self.optsWithGlobals(), terminal));
}

/**
 * Shows the version of the client. When the user names a service, asks it for its version, and warns when the two do
 * not fit. Otherwise it sends no request.
 */
async function runVersion(options: AddressOptions, terminal: Terminal): Promise<void> {
  terminal.say(version);
  const isNamed = options.baseUrl ?? options.profile ?? process.env['DECK_BASE_URL'];
  if (!isNamed) {
    terminal.answer({ version, node: process.version });
    return;
  }
  const { askServiceInfo } = await import('../service-info.js');
  const { misfit } = await import('../compatibility.js');
  const { baseUrl, info } = await askServiceInfo(options, terminal);
  const problem = misfit(info, baseUrl);
  terminal.say(`service ${info.version} at ${baseUrl}`);
  if (problem) terminal.warn(`${problem.message} ${problem.nextAction ?? ''}`.trim());
  const service = { baseUrl, version: info.version, fits: !problem, problem: problem?.message };
  terminal.answer({ version, node: process.version, service });
}
