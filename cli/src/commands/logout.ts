import { Command } from 'commander';
import { resolveAddress } from '../address';
import { Failure } from '../../../client/src/failure';
import { deleteKey, findKey } from '../keys';
import { connect } from '../connect';
import type { Terminal } from '../terminal';

export function logoutCommand(terminal: Terminal): Command {
  return new Command('logout')
    .description('revoke the key and delete it from this computer')
    .action((_options, self: Command) => runLogout(self.optsWithGlobals(), terminal));
}

/** Revokes the key and deletes it from this computer. It deletes the key also when the revocation fails, and warns. */
async function runLogout(options: { baseUrl?: string }, terminal: Terminal): Promise<void> {
  const { baseUrl } = resolveAddress(options.baseUrl);
  const stored = await findKey(baseUrl);
  const isRevoked = stored !== undefined && (await revoke(baseUrl, stored.raw, terminal));
  const isDeleted = await deleteKey(baseUrl);
  terminal.say(isDeleted ? `Deleted the stored key for ${baseUrl}.` : `There was no stored key for ${baseUrl}.`);
  if (process.env['DECK_API_KEY']) terminal.warn('DECK_API_KEY is still set. The client keeps using it.');
  terminal.answer({ baseUrl, forgotten: isDeleted, revoked: isRevoked });
}

async function revoke(baseUrl: string, key: string, terminal: Terminal): Promise<boolean> {
  const service = connect(baseUrl, terminal, key);
  try {
    await service.post('revokeApiKey', {});
    terminal.say('Revoked the key: copies of it do not work any more.');
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // `unauthenticated`: the key is revoked or expired already.
    if (error.code !== 'unauthenticated') {
      terminal.warn(`The key was not revoked: ${error.message} Copies of it keep working.`);
    }
    return false;
  } finally {
    service.close();
  }
}
