import { plain } from '../../client/src/format';
import { secretWarning, type Secret } from '../../client/src/inspection/secret';
import type { Terminal } from './terminal';

const SHOWN = 10;

/** Asks in the terminal whether to publish what looks like secrets. */
export async function confirmSecrets(secrets: readonly Secret[], terminal: Terminal): Promise<boolean> {
  terminal.clear();
  for (const secret of secrets.slice(0, SHOWN)) terminal.warn(plain(secretWarning(secret).message), 'secret');
  if (secrets.length > SHOWN) terminal.note(`  … and ${secrets.length - SHOWN} more`);
  const answer = await terminal.ask('Publish these files? [y/N]', () => undefined);
  return /^y(es)?$/i.test(answer);
}
