import { resolveAddress } from '../address';
import { forgetKey } from '../keys';
import type { Terminal } from '../terminal';

/** `deck logout`: forgets the key on this computer. */
export async function runLogout(options: { baseUrl?: string }, terminal: Terminal): Promise<void> {
  const { baseUrl } = resolveAddress(options.baseUrl);
  const isForgotten = await forgetKey(baseUrl);
  terminal.say(isForgotten ? `Forgot the key for ${baseUrl}.` : `There was no key for ${baseUrl}.`);
  if (isForgotten) terminal.say('It stays valid for whoever has a copy, until it is revoked in the dashboard.');
  if (process.env['DECK_API_KEY']) terminal.warn('DECK_API_KEY is still set, and used.');
  terminal.answer({ baseUrl, forgotten: isForgotten });
}
