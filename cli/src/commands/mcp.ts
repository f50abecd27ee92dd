import { Command } from 'commander';
import { usageFailure } from '../../../client/src/failure';
import { renderCommands } from '../command-line';
import { resolveSignIn, type AddressOptions } from '../address';
import { commandRunner } from '../run-command';
import type { Terminal } from '../terminal';

const HELP = `
An agent's program starts this command, and speaks the Model Context Protocol with it over standard input and output.
Each tool does what a command of the client does. For most agents the entry in their configuration is:

  { "mcpServers": { "deck": { "command": "deck", "args": ["mcp"] } } }

Add --profile or --base-url to the arguments for another service. The tools read and write only the folders that the
agent names, below those that you opened in its program if it tells them, and the config folder with your key.`;

export function mcpCommand(terminal: Terminal, program: Parameters<typeof commandRunner>[0]): Command {
  return new Command('mcp')
    .description('offer the commands to an agent as tools (Model Context Protocol, on standard input and output)')
    .addHelpText('after', HELP)
    .action(async (_options, self: Command) => {
      if (terminal.json) throw usageFailure('Standard output belongs to the protocol. Omit --json.');
      // The server and its schemas are large: the build puts them into a second file, which only this command reads.
      const { serve } = await import('../mcp/server.js');
      const { pushContents } = await import('../push-contents.js');
      const runCommand = commandRunner(program);
      const address = self.optsWithGlobals<AddressOptions>();
      await serve({ runCommand, pushContents, renderCommands, resolveSignIn, address, hasComputer: true });
    });
}
