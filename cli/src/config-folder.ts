import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The user's folder for keys, share links and upload sessions. It is never inside a deck, because a deck may be public.
 */
export function configFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (process.platform === 'win32') return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'deck');
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'deck');
}
