import { Command } from 'commander';
import { resolveAddress } from '../address';
import { findKey, keysPath, requireKey } from '../keys';
import { connect } from '../connect';
import type { Terminal } from '../terminal';

export function whoamiCommand(terminal: Terminal): Command {
  return new Command('whoami')
    .description('show the organization, scopes and expiry of the key in use')
    .action((_options, self: Command) => runWhoami(self.optsWithGlobals(), terminal));
}

async function runWhoami(options: { baseUrl?: string }, terminal: Terminal): Promise<void> {
  const address = resolveAddress(options.baseUrl);
  const { baseUrl } = address;
  const key = await requireKey(address);
  const stored = await findKey(baseUrl);
  const isStored = stored?.raw === key;
  const service = connect(baseUrl, terminal, key);
  try {
    const answer = await service.post('verifyApiKey', {});
    const email = isStored ? stored.email : undefined;
    const source = isStored ? keysPath() : 'DECK_API_KEY';
    const { bold, dim } = terminal.colors;
    const organization = answer.organizationName ?? 'every organization (an admin key)';
    terminal.say(`${bold(organization)}${email === undefined ? '' : ` (${email})`} at ${baseUrl}`);
    terminal.say(`  key      ${answer.keyPrefix}… "${answer.keyName}" ${dim(`from ${source}`)}`);
    terminal.say(`  scopes   ${answer.scopes.join(', ')}`);
    terminal.say(`  expires  ${answer.expiresAt ?? 'never'}`);
    terminal.answer({ baseUrl, email, source, ...answer });
  } finally {
    service.close();
  }
}
