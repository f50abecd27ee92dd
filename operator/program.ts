import { Command, CommanderError } from 'commander';
import { ServiceError } from '../functions/src/errors';
import { pathOf, text } from './command-line';
import { deleteAccount } from './deletions';
import { exportAccount } from './exports';
import { harmless } from './harmless';
import { mintAdminKey, revokeAnyKey } from './keys';
import { dismissMailReports } from './mail-reports';
import { allowMails } from './mail-stops';
import { setPlan } from './plans';
import { show } from './show';
import { allowWebhooks, stopWebhooks } from './webhooks';
import { dismissReports, putBack, takeDown } from './takedowns';

const NOTES = `
The commands use the application default credentials (gcloud auth application-default login). When
FIRESTORE_EMULATOR_HOST is set, they use that emulator instead. For the local cloud of npm start:

  FIRESTORE_EMULATOR_HOST=127.0.0.1:8080 npm run operator -- show presentation --project demo-decks --presentation <id>

The database is that of DATABASE_ID in the environment or in functions/.env.<project>, which a restore sets.
The result is JSON on standard output. Exit codes: 0 done, 1 not done, 2 wrong command line.
`;

const DESCRIPTION_COLUMN = 32;

const program = new Command('npm run operator --')
  .description('Operator-only commands. Each one records the operator, the time and the reason.')
  .usage('<command> --project <id> [options]')
  .option('--project <id>', 'the Firebase project (required)', text)
  .option('--reason <text>', 'the reason, stored with the record', text)
  .option('--as <name>', "the operator's name (default: the user of this computer)", text)
  .option('--yes', 'do not ask for confirmation; required where there is no terminal to ask in')
  .helpCommand(false)
  .addHelpText('after', NOTES)
  .exitOverride()
  .configureHelp({ showGlobalOptions: true, visibleCommands, subcommandTerm, formatItem });

for (const command of [
  mintAdminKey,
  revokeAnyKey,
  setPlan,
  stopWebhooks,
  allowWebhooks,
  takeDown,
  putBack,
  dismissReports,
  dismissMailReports,
  allowMails,
  exportAccount,
  deleteAccount,
  show,
]) {
  for (const each of [command, ...command.commands]) each.copyInheritedSettings(program).helpCommand(false);
  program.addCommand(command);
}

/** The help of `npm run operator` lists the commands below `show` one by one. */
function visibleCommands(parent: Command): Command[] {
  return parent.commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]));
}

function subcommandTerm(command: Command): string {
  const options = command.options.map(({ flags, mandatory }) => (mandatory ? flags : `[${flags}]`));
  return [pathOf(command), ...options].join(' ');
}

/** A term that does not fit before the column of descriptions stands on its own line. */
function formatItem(term: string, _termWidth: number, description: string): string {
  const head = `  ${term}  `;
  const indent = ' '.repeat(DESCRIPTION_COLUMN);
  return head.length > DESCRIPTION_COLUMN
    ? `${head.trimEnd()}\n${indent}${description}`
    : `${head.padEnd(DESCRIPTION_COLUMN)}${description}`;
}

/** Where a command writes its result and its problems. */
export interface Output {
  writeOut: (text: string) => void;
  writeErr: (text: string) => void;
}

/** Runs one command line. Answers the exit code: 0 done, 1 not done, 2 wrong command line. */
export async function runOperator(args: string[], { writeOut, writeErr }: Output): Promise<number> {
  for (const command of [program, ...program.commands.flatMap((each) => [each, ...each.commands])]) {
    // The function prints usage errors below.
    command.configureOutput({ writeOut, writeErr: () => undefined, outputError: () => undefined });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode !== 0) writeErr(usage(error));
      return error.exitCode === 0 ? 0 : 2;
    }
    writeErr(`${harmless(error instanceof Error ? error.message : String(error))}\n`);
    // The stack of an error that is not in the service's catalogue.
    if (!(error instanceof ServiceError) && process.env['DEBUG']) console.error(error);
    return 1;
  }
}

function usage({ code, message }: CommanderError): string {
  const problem = code === 'commander.help' ? 'A command is needed.' : message.replace(/^error: ./, capitalised);
  return `${problem}\n\n${program.helpInformation()}${NOTES}`;
}

const capitalised = (prefix: string) => prefix.slice(-1).toUpperCase();
