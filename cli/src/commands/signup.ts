import { Command } from 'commander';
import { signIn, type SignInOptions } from '../account/sign-in';
import type { Terminal } from '../terminal';
import { days } from './option-values';

export function signupCommand(terminal: Terminal): Command {
  return new Command('signup')
    .description('create an account with a code sent by email')
    .option('--email <address>', 'your email address')
    .option('--code <digits>', 'the six-digit code from the mail; without this option, a code is sent')
    .option('--first-name <name>', 'your first name')
    .option('--last-name <name>', 'your last name')
    .option('--company <name>', "your organization's name (default: <first name>'s workspace)")
    .option('--key-name <name>', 'the name of the key in `deck keys` (default: with the name of this computer)')
    .option('--expires-in-days <days>', 'when the key expires: 1 to 365 (default: never)', days)
    .action((_options, self: Command) => signIn('signup', self.optsWithGlobals<SignInOptions>(), terminal));
}
