import { homedir } from 'node:os';
import { join } from 'node:path';

let isShared = false;

/** From now on this process serves the users of a service, and none of them is at its computer. */
export function serveOthers(): void {
  isShared = true;
}

/** Whether the process has no config folder, because it serves others. */
export const servesOthers = (): boolean => isShared;

/**
 * The user's folder for keys, share links and upload sessions. It is never inside a deck, because a deck may be public.
 * Throws in a process that serves others.
 */
export function configFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (isShared) throw new Error('The secrets of one user must not be stored where others are served.');
  if (process.platform === 'win32') return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'deck');
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'deck');
}
