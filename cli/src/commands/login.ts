import { Command } from 'commander';
import { signIn, type SignInOptions } from '../account/sign-in';
import type { Terminal } from '../terminal';
import { days } from './option-values';

export function loginCommand(terminal: Terminal): Command {
  return new Command('login')
    .description('sign in with a code sent by email, and store a key on this computer')
    .option('--email <address>', 'your email address')
    .option('--code <digits>', 'the six-digit code from the mail; without this option, a code is sent')
    .option('--publish', 'get a key that may also publish to the marketplace')
    .option('--revoke <key>', 'revoke this key first, by its prefix, name or id: for an organization with 20 keys')
    .option('--key-name <name>', 'the name of the key in `deck keys` (default: with the name of this computer)')
    .option('--expires-in-days <days>', 'when the key expires: 1 to 365 (default: never)', days)
    .action((_options, self: Command) => signIn('login', self.optsWithGlobals<SignInOptions>(), terminal));
}
