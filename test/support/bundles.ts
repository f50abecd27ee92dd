import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../../local/project';

/** Makes the bundles with these names, or all bundles and the site, when their sources have changed. */
export const buildBundles = (...bundles: string[]): void =>
  void execFileSync(process.execPath, [join(projectRoot, 'scripts/build.mjs'), ...bundles], { stdio: 'inherit' });

/** Builds the client library: decks of PDFs and of pictures contain parts of it. */
export const buildClient = (): void => buildBundles('client');
