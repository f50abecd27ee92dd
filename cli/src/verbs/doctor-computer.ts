import { setTimeout as pause } from 'node:timers/promises';
import { stat } from 'node:fs/promises';
import { systemCode } from '../../../client/src/failure';
import { version } from '../../package.json';
import { configFolder } from '../config-folder';
import { profilePath, readProfiles } from '../profiles';
import { findBrowser } from '../drawing/find-browser';
import type { Check } from './doctor';

/** A browser that takes longer to start does not help a push either. */
const BROWSER_PATIENCE_MS = 15_000;

/** The checks of this computer, which send nothing. */
export async function checkComputer(): Promise<Check[]> {
  const checks: Check[] = [
    {
      name: 'client',
      state: 'ok',
      message: `deckhost ${version} on Node ${process.versions.node}, ${process.platform}`,
    },
    await checkFolder(),
    await checkBrowser(),
  ];
  const proxy = checkProxy();
  return proxy ? [...checks, proxy] : checks;
}

/** Others must not read the keys. Windows has no such modes. */
async function checkFolder(): Promise<Check> {
  const folder = configFolder();
  const profiles = await readProfiles();
  for (const path of [folder, ...profiles.map(({ name }) => profilePath(name))]) {
    const mode = await stat(path).then(
      (found) => found.mode,
      (error: unknown) => systemCode(error),
    );
    if (mode === 'ENOENT') continue;
    if (typeof mode !== 'number')
      return { name: 'config', state: 'failed', code: 'unreadable-file', message: `${path} cannot be read (${mode})` };
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      return {
        name: 'config',
        state: 'warning',
        message: `others on this computer may read ${path}`,
        nextAction: `chmod go= '${path.replaceAll("'", `'\\''`)}'`,
      };
  }
  return { name: 'config', state: 'ok', message: `${folder}, which only you can read` };
}

/** A push draws the slides with a browser. It works without one. A sandbox may refuse root. */
async function checkBrowser(): Promise<Check> {
  const browser = await findBrowser();
  if (browser !== undefined && (await isWorking(browser)))
    return { name: 'browser', state: 'ok', message: `${browser} draws the slides of decks` };
  if (browser !== undefined)
    return {
      name: 'browser',
      state: 'warning',
      message: `${browser} does not start: a push draws no slides`,
      nextAction: 'Do not run as root, or name another browser in CHROME_PATH.',
    };
  return {
    name: 'browser',
    state: 'warning',
    message: 'no Chrome, Chromium or Edge: a push draws no slides',
    nextAction: 'Install one, or name it in CHROME_PATH.',
  };
}

/** The client connects directly. Where only a proxy leads out, that explains a missing answer. */
function checkProxy(): Check | undefined {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  const set = names.filter((name) => process.env[name]);
  if (set.length === 0) return undefined;
  const message = `${set.join(', ')}: the client does not use a proxy and connects directly`;
  return { name: 'proxy', state: 'warning', message, nextAction: 'Allow direct connections to the service.' };
}

/** Starts the browser once. It opens nothing: nothing listens at its proxy. */
async function isWorking(program: string): Promise<boolean> {
  // Only this check and a push that draws need it.
  const { Browser } = await import('../drawing/browser.js');
  const browser = await Browser.start(program, 'http://127.0.0.1:9');
  const late = new AbortController();
  try {
    const isLate = pause(BROWSER_PATIENCE_MS, false, { signal: late.signal });
    return await Promise.race([browser.send('Browser.getVersion').then(() => true), isLate]);
  } catch {
    return false;
  } finally {
    late.abort();
    await browser.close();
  }
}
