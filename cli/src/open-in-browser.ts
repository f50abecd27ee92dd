import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { systemCode } from '../../client/src/failure';
import type { Terminal } from './terminal';

/**
 * How long an opener may take to fail. Most end at once; some stay for as long as the browser that they started, so
 * that an opener which still runs after this time has opened the link.
 */
const PATIENCE_MILLISECONDS = 1500;

/** Whether the link was opened. `reason` says why it was not. */
type Opened = { isOpened: true } | { isOpened: false; reason: string };

const failed = (reason: string): Opened => ({ isOpened: false, reason });

/** Opens a link in the browser of the user. Warns, and returns false, when it was not opened. */
export async function openOrWarn(link: string, terminal: Terminal): Promise<boolean> {
  const outcome = await openInBrowser(link);
  if (!outcome.isOpened)
    terminal.warn(`The browser was not opened: ${outcome.reason}. Open the link yourself.`, 'not-opened');
  return outcome.isOpened;
}

/** Opens a link, and looks whether the opener of the system did it. */
async function openInBrowser(link: string): Promise<Opened> {
  // The link comes from a service. The system's opener would run other things than web addresses, too.
  if (!/^https?:\/\//.test(link)) return failed('the link is not a web address');
  if (!hasScreen()) return failed('this computer has no display');
  const { default: open } = await import('open');
  try {
    const opener = await open(link);
    const stop = new AbortController();
    if (opener.exitCode === null)
      await Promise.race([
        once(opener, 'exit', { signal: stop.signal }),
        pause(PATIENCE_MILLISECONDS, undefined, { signal: stop.signal }),
      ]).finally(() => stop.abort());
    const { exitCode } = opener;
    return exitCode ? failed(`the program that opens links failed (exit code ${exitCode})`) : { isOpened: true };
  } catch (error) {
    return failed(`the program that opens links could not be started (${systemCode(error) ?? 'unknown error'})`);
  }
}

/** Without a display the opener of Linux would start a browser for the terminal, which nobody sees. */
function hasScreen(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY, BROWSER, WSL_DISTRO_NAME } = process.env;
  return process.platform !== 'linux' || Boolean(DISPLAY || WAYLAND_DISPLAY || BROWSER || WSL_DISTRO_NAME);
}
