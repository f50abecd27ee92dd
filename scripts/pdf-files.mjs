// Makes the folder of what decks of PDFs have: pdf.js, the viewer, and the program that reads PDFs.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { root } from './root.mjs';

const SOURCES = join(root, 'client/src/pdf');
/** The builds for browsers of two years and for every supported Node. */
const LIBRARY = ['pdf.min.mjs', 'pdf.worker.min.mjs'];
/** The licences of all of them are in one file of every deck. */
const FOLDERS = { cmaps: /\.bcmap$/, standard_fonts: /\.(pfb|ttf)$/, wasm: /^(openjpeg|jbig2|qcms_bg)\.wasm$/ };
const VIEWER = { 'viewer.mjs': 'viewer.ts', 'images.mjs': 'images.ts', 'viewer.css': 'viewer.css' };
const LICENCE = /^LICENSE/;

/** The folder of pdf.js. Not a constant: this module is loaded before the packages are installed. */
const pdfjsFolder = () => dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/** The address of the folder on the site. It changes with the files, which browsers keep for ever. */
export function pdfAddress() {
  const hash = createHash('sha256').update(readFileSync(join(pdfjsFolder(), 'package.json')));
  for (const name of readdirSync(SOURCES, { recursive: true }).sort())
    if (/\.(ts|css)$/.test(name)) hash.update(name).update(readFileSync(join(SOURCES, name)));
  return `/assets/pdf-${hash.digest('hex').slice(0, 12)}/`;
}

/**
 * Writes the folder. `esbuild` makes the viewer of its sources. Other files are deleted last: another process may write
 * or pack the same folder.
 */
export async function writePdfFiles({ build }, folder) {
  const pdfjs = pdfjsFolder();
  const written = new Set(['LICENSE.txt', ...Object.keys(VIEWER), 'read-pdf.mjs']);
  const copy = (source, path) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(source, join(folder, path));
    written.add(path);
  };
  for (const name of LIBRARY) copy(join(pdfjs, 'legacy/build', name), name);
  const licences = [`pdf.js\n\n${readFileSync(join(pdfjs, 'LICENSE'), 'utf8')}`];
  for (const [name, isTaken] of Object.entries(FOLDERS)) {
    for (const file of readdirSync(join(pdfjs, name)).sort()) {
      const path = join(pdfjs, name, file);
      if (isTaken.test(file)) copy(path, join(name, file));
      else if (LICENCE.test(file)) licences.push(`${name}/${file}\n\n${readFileSync(path, 'utf8')}`);
    }
  }
  writeFileSync(join(folder, 'LICENSE.txt'), licences.join('\n\n'));
  const modules = {
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    logLevel: 'warning',
    plugins: [{ name: 'pdf.js beside it', setup: beside }],
  };
  for (const [outfile, entry] of Object.entries(VIEWER))
    await build({
      ...modules,
      entryPoints: [`client/src/pdf/viewer/${entry}`],
      outfile: join(folder, outfile),
      target: 'es2022',
    });
  await build({
    ...modules,
    entryPoints: ['client/src/pdf/reading-thread.ts'],
    outfile: join(folder, 'read-pdf.mjs'),
    platform: 'node',
    target: 'node20',
  });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isDirectory() && !written.has(relative(folder, path))) rmSync(path, { force: true });
  }
}

function beside({ onResolve }) {
  onResolve({ filter: /^pdfjs-dist$/ }, () => ({ path: './pdf.min.mjs', external: true }));
  onResolve({ filter: /^pdfjs-dist\/build\/pdf\.worker\.mjs$/ }, () => ({
    path: './pdf.worker.min.mjs',
    external: true,
  }));
}
