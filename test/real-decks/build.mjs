// Builds every deck of `decks/` with its own tool into `.build/real-decks/`. Needs the packages of this folder, and
// Chromium for the film: `npm run test:decks` installs both.
import { spawn } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { build as vite } from 'vite';
import { makeFilm } from './film.mjs';
import { makePdf } from './pdf.mjs';

const here = import.meta.dirname ?? dirname(fileURLToPath(import.meta.url));
const output = join(here, '../../.build/real-decks');
const packages = join(here, 'node_modules');
const sourceOf = (name) => join(here, 'decks', name);
const { resolve } = createRequire(import.meta.url);

/** Runs a tool of this folder's packages. Rejects with its output when it fails. */
function tool(file, args, cwd) {
  const child = spawn(process.execPath, [join(packages, file), ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = [];
  child.stdout.on('data', (chunk) => printed.push(chunk));
  child.stderr.on('data', (chunk) => printed.push(chunk));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) =>
      code === 0 ? done() : fail(new Error(`${file} ended with ${code}.\n${printed.join('')}`)),
    );
  });
}

const slidev = (name, base) =>
  tool('@slidev/cli/bin/slidev.mjs', ['build', '--base', base, '--out', join(output, name)], sourceOf(name));

const withVite = (name, { build = {}, ...options } = {}) =>
  vite({
    root: sourceOf(name),
    configFile: false,
    logLevel: 'warn',
    build: { outDir: join(output, name), emptyOutDir: true, target: 'es2022', chunkSizeWarningLimit: 5000, ...build },
    ...options,
  });

/** The source with files of packages, as a person copies them: path in the deck → folder or file in the packages. */
async function copied(name, files) {
  await cp(sourceOf(name), join(output, name), { recursive: true });
  for (const [path, from] of Object.entries(files))
    await cp(join(packages, from), join(output, name, path), { recursive: true });
}

const builds = {
  slidev: () => slidev('slidev', '/'),
  'slidev-relative': () => slidev('slidev-relative', './'),
  'vite-react': () => withVite('vite-react', { plugins: [react()] }),
  'vite-three': () => withVite('vite-three', { base: './', worker: { format: 'es' }, build: { assetsInlineLimit: 0 } }),
  bespoke: () => withVite('bespoke', { base: './' }),
  spectacle: () => withVite('spectacle', { base: './', plugins: [react()] }),
  async marp() {
    await copied('marp', {});
    await tool(
      '@marp-team/marp-cli/marp-cli.js',
      ['slides.md', '-o', join(output, 'marp/index.html')],
      sourceOf('marp'),
    );
    await rm(join(output, 'marp/slides.md'));
  },
  reveal: () => copied('reveal', { reveal: 'reveal.js/dist' }),
  impress: () => copied('impress', { 'impress/js': 'impress.js/js', 'impress/css': 'impress.js/css' }),
  webslides: () => copied('webslides', { 'static/js': 'webslides/static/js', 'static/css': 'webslides/static/css' }),
  shower: () => copied('shower', { ribbon: '@shower/ribbon', 'shower.js': '@shower/core/dist/shower.js' }),
  remark: () => copied('remark', { 'remark.min.js': 'remark-slide/out/remark.min.js' }),
  storage: () => copied('storage', {}),
  print: () => copied('print', {}),
  'service-worker': () => copied('service-worker', {}),
  async pdf() {
    await copied('pdf', {});
    await writeFile(join(output, 'pdf/one.pdf'), makePdf('One', '0.2 0.5 0.9'));
    await writeFile(join(output, 'pdf/two.pdf'), makePdf('Two', '0.9 0.5 0.2'));
  },
  async film() {
    await copied('film', {});
    await writeFile(join(output, 'film/film.webm'), await makeFilm(resolve('mediabunny')));
  },
};

const asked = process.argv.slice(2);
await mkdir(output, { recursive: true });
for (const [name, build] of Object.entries(builds)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const startedAt = performance.now();
  await rm(join(output, name), { recursive: true, force: true });
  await build();
  console.log(`${name.padEnd(16)} ${((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)} s`);
}
