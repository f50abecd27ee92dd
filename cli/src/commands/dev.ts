import { Command } from 'commander';
import { readDeckFile, requireSource } from '../../../client/src/deck-file';
import { Failure, systemCode, usageFailure } from '../../../client/src/failure';
import { openOrWarn } from '../open-in-browser';
import type { Terminal } from '../terminal';

interface DevOptions {
  port: number;
  entry?: string;
  open?: boolean;
}

const DEFAULT_PORT = 3300;

const HELP = `
Addresses, types and headers are those of the deck's own origin. Files that a push ignores do not exist here. Only this
computer can open the address. Press Ctrl-C to stop.`;

export function devCommand(terminal: Terminal): Command {
  return new Command('dev')
    .description('serve a deck on this computer as it would be served, and reload it when files change')
    .argument('[folder]', 'the folder that holds the deck, an HTML file, a zip archive, a PDF, or a picture', '.')
    .option('--port <number>', 'the port on 127.0.0.1; 0 takes a free one', portNumber, DEFAULT_PORT)
    .option('--entry <path>', 'the HTML file that opens the deck (default: as for a push)')
    .option('--open', 'open the address in the browser')
    .addHelpText('after', HELP)
    .action((folder: string, _options, self: Command) => runDev(folder, self.optsWithGlobals(), terminal));
}

async function runDev(folderName: string, { port, entry, open }: DevOptions, terminal: Terminal): Promise<void> {
  if (terminal.json) throw usageFailure('This command does not end, so it cannot write one JSON document.');
  const path = await requireSource(folderName);
  const remembered = (await readDeckFile(path))?.entryPath;
  // The server needs a parser, which no other command loads.
  const { serveSource } = await import('../site/dev-site.js');
  const { cyan, dim } = terminal.colors;
  const time = () => new Date().toTimeString().slice(0, 8);
  const onReload = () => terminal.say(dim(`${time()} Files changed: the pages reload.`));
  const { origin, ended } = await serveSource({ path, entry, remembered, port, onReload }).catch((error: unknown) => {
    throw explainPort(error, port);
  });
  terminal.say(`\n  ${cyan(`${origin}/`)}\n`);
  terminal.say(dim('Pages reload when files change. Press Ctrl-C to stop.'));
  if (open) await openOrWarn(`${origin}/`, terminal);
  await ended;
}

function explainPort(error: unknown, port: number): unknown {
  const code = systemCode(error);
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  const message = code === 'EACCES' ? `You may not use port ${port}.` : `Another program uses port ${port}.`;
  return new Failure(message, {
    code: 'port-taken',
    nextAction: `Choose another one with --port, or let the system choose: --port 0`,
    cause: error,
  });
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw usageFailure(`"${text}" is not a port.`, 'A port is a number from 0 to 65535.');
  return port;
}
