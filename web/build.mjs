// Builds the site into web/dist, and removes pages that do not exist any more. Other programs may put files there, too.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as esbuild from 'esbuild';
import { build } from 'vite';
import { pdfAddress, writePdfFiles } from '../scripts/pdf-files.mjs';
import scripts from '../functions/runtime/bundle.cjs';
import { addressesOf } from './site/addresses.mjs';
import { load } from './site/load.mjs';
import { readPages } from './site/pages.mjs';
import { searchFiles } from './site/search/build.mjs';

// `npm start` builds the site again when this file is missing: a deploy has built it with other addresses.
const LOCAL = 'dist/.local';

process.chdir(import.meta.dirname);
rmSync(LOCAL, { force: true });
const root = join(import.meta.dirname, '..');
const addresses = addressesOf(root, process.env.GCLOUD_PROJECT);
const { siteFiles } = await load('web/site/files.tsx');
const read = readPages(root, addresses);
const search = await searchFiles(read.pages);
const files = siteFiles({
  ...addresses,
  ...read,
  search: { script: search.script.address, index: search.index.address },
  sheets: ['base', 'home', 'docs'].map((sheet) => readFileSync(`style/${sheet}.css`, 'utf8')),
  script: scripts.home,
});

for (const { path, text } of Object.values(search)) files[path] = text;
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(`dist${path}`), { recursive: true });
  writeFileSync(`dist${path}`, text);
}
cpSync('static', 'dist', { recursive: true });
cpSync('../docs/pictures', 'dist/docs/pictures', { recursive: true });
const found = [...readdirSync('dist'), ...readdirSync('dist/docs', { recursive: true }).map((each) => `docs/${each}`)];
for (const path of found) {
  const isPage = /\.(html|md|xml|txt)$/.test(path);
  if (isPage && !(`/${path}` in files) && !existsSync(`static/${path}`)) rmSync(`dist/${path}`);
}
// Vite makes another build for another value, such as that of a test.
process.env.NODE_ENV = 'production';
rmSync('dist/assets', { recursive: true, force: true });
await writePdfFiles(esbuild, join(import.meta.dirname, 'dist', pdfAddress()));
await esbuild.stop();
await build({ configFile: 'vite.config.mjs', logLevel: 'warn' });
if (!process.env.GCLOUD_PROJECT) writeFileSync(LOCAL, '');
