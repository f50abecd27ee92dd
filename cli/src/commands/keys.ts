import { Command, InvalidArgumentError, Option } from 'commander';
import { keyRows } from '../account/key-rows';
import { withSession, type CommonOptions } from '../session';
import type { Terminal } from '../terminal';
import { isLive, type Scope } from '../verbs/keys';
import { createKey, revokeKey } from './keys-with-code';
import { days } from './option-values';

const scopes: Scope[] = ['presentations:read', 'presentations:write', 'marketplace:publish'];

const HELP = `
Only you can make and revoke keys: the service mails you a code for it. Without a terminal, the command has the code
sent and names the command that takes it with --code.`;

export function keysCommand(terminal: Terminal): Command {
  const keys = new Command('keys').description('list, create and revoke the keys of your organization');
  keys
    .command('list', { isDefault: true })
    .description('list the keys')
    .option('--all', 'list revoked and expired keys as well')
    .action((_options, self: Command) => listKeys(self.optsWithGlobals(), terminal));
  const scope = new Option('--scope <scope>', 'what the key may do; may be repeated (default: read and write decks)');
  keys
    .command('create')
    .description('create a key for a script or another person, and show it once')
    .option('--name <name>', 'the name of the key', 'Key made by deck')
    .addOption(scope.choices(scopes).argParser(collectScope))
    .option('--expires-in-days <days>', 'when the key expires: 1 to 365 (default: never)', days)
    .option('--email <address>', 'your email address (default: that of the profile)')
    .option('--code <digits>', 'the six-digit code from the mail; without this option, a code is sent')
    .addHelpText('after', HELP)
    .action((_options, self: Command) => createKey(self.optsWithGlobals(), terminal));
  keys
    .command('revoke')
    .description('revoke a key: every copy of it stops working')
    .argument('<key>', 'the prefix, name or id of the key')
    .option('--email <address>', 'your email address (default: that of the profile)')
    .option('--code <digits>', 'the six-digit code from the mail; without this option, a code is sent')
    .addHelpText('after', HELP)
    .action((key: string, _options, self: Command) => revokeKey(key, self.optsWithGlobals(), terminal));
  return keys;
}

function collectScope(text: string, before: Scope[] = []): Scope[] {
  const scope = scopes.find((each) => each === text);
  if (!scope) throw new InvalidArgumentError(`Allowed choices are ${scopes.join(', ')}.`);
  return [...before, scope];
}

async function listKeys(options: CommonOptions & { all?: boolean }, terminal: Terminal): Promise<void> {
  await withSession(options, terminal, async ({ service, baseUrl }) => {
    const { keys, active, limit } = await service.get('listApiKeys');
    const shown = options.all ? keys : keys.filter(isLive);
    for (const line of keyRows(shown)) terminal.say(line);
    terminal.say(terminal.colors.dim(`${active} of ${limit} keys`));
    terminal.answer({ baseUrl, keys: shown, active, limit });
  });
}
