import { Command } from 'commander';
import { resolveAddress } from '../address';
import { Failure } from '../failure';
import { findKey, forgetKey } from '../keys';
import { connect } from '../service/connect';
import type { Terminal } from '../terminal';

export function logoutCommand(terminal: Terminal): Command {
  return new Command('logout')
    .description('revoke the key and forget it')
    .action((_options, self: Command) => runLogout(self.optsWithGlobals(), terminal));
}

/** `deck logout`: revokes the key and forgets it. Where the service cannot be asked it is forgotten all the same, and that is said. */
async function runLogout(options: { baseUrl?: string }, terminal: Terminal): Promise<void> {
  const { baseUrl } = resolveAddress(options.baseUrl);
  const stored = await findKey(baseUrl);
  const isRevoked = stored !== undefined && (await revoke(baseUrl, stored.raw, terminal));
  const isForgotten = await forgetKey(baseUrl);
  terminal.say(isForgotten ? `Forgot the key for ${baseUrl}.` : `There was no key for ${baseUrl}.`);
  if (process.env['DECK_API_KEY']) terminal.warn('DECK_API_KEY is still set, and used.');
  terminal.answer({ baseUrl, forgotten: isForgotten, revoked: isRevoked });
}

async function revoke(baseUrl: string, key: string, terminal: Terminal): Promise<boolean> {
  const service = connect(baseUrl, terminal, key);
  try {
    await service.post('revokeApiKey', {});
    terminal.say('Revoked the key: nobody can use a copy of it.');
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // A key that is not valid any more needs no revoking.
    if (error.code !== 'unauthenticated') {
      terminal.warn(`The key was not revoked (${error.message}) It stays valid for whoever has a copy.`);
    }
    return false;
  } finally {
    service.close();
  }
}
