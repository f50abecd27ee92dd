// Builds the site into web/dist, and removes pages that do not exist any more. Other programs may put files there, too.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import Eleventy from '@11ty/eleventy';
import { build } from 'vite';

// `npm start` builds the site again when this file is missing: a deploy has built it with other addresses.
const LOCAL = 'dist/.local';

process.chdir(import.meta.dirname);
rmSync(LOCAL, { force: true });
const eleventy = new Eleventy('pages', 'dist', { configPath: 'eleventy.config.mjs', quietMode: true });
const [, written] = await eleventy.write();

const pages = new Set(written.map(({ outputPath }) => relative('dist', outputPath)));
const found = [
  ...readdirSync('dist'),
  ...readdirSync('dist/docs', { recursive: true }).map((name) => join('docs', name)),
];
for (const path of found) {
  if (/\.(html|md|xml|txt)$/.test(path) && !pages.has(path)) rmSync(join('dist', path));
}
// Vite makes another build for another value, such as that of a test.
process.env.NODE_ENV = 'production';
rmSync('dist/assets', { recursive: true, force: true });
await build({ configFile: 'vite.config.mjs', logLevel: 'warn' });
if (!process.env.GCLOUD_PROJECT) writeFileSync(LOCAL, '');
