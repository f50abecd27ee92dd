import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * The program of Chrome, Chromium or Edge on this computer. CHROME_PATH or CHROMIUM_PATH names it; then no other one is
 * used. Undefined when there is none.
 */
export async function findBrowser(): Promise<string | undefined> {
  const named = process.env['CHROME_PATH'] || process.env['CHROMIUM_PATH'];
  for (const path of named ? [named] : standardPlaces()) if (await isExecutable(path)) return path;
  return undefined;
}

function standardPlaces(): string[] {
  if (process.platform === 'darwin') return placesOfMac();
  if (process.platform === 'win32') return placesOfWindows();
  const names = [
    'google-chrome-stable',
    'google-chrome',
    'chromium',
    'chromium-browser',
    'microsoft-edge-stable',
    'microsoft-edge',
  ];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), '/opt/google/chrome/chrome'];
}

function placesOfMac(): string[] {
  const roots = ['/Applications', join(homedir(), 'Applications')];
  const names = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
  return names.flatMap((name) => roots.map((root) => join(root, `${name}.app`, 'Contents', 'MacOS', name)));
}

function placesOfWindows(): string[] {
  const roots = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].map((name) => process.env[name]);
  const programs = [
    join('Google', 'Chrome', 'Application', 'chrome.exe'),
    join('Chromium', 'Application', 'chrome.exe'),
    join('Microsoft', 'Edge', 'Application', 'msedge.exe'),
  ];
  return programs.flatMap((program) => roots.filter((root) => root !== undefined).map((root) => join(root, program)));
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
