// The search of the documentation: a small script for every page, and the index with the program that searches it,
// which a page loads when a reader uses the field.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { build } from 'esbuild';
import MiniSearch from 'minisearch';
import { idOf } from '../markdown.mjs';

const here = import.meta.dirname;
const MOST = 8;
/** Headings count more than texts: who searches a name finds its page first. */
const OPTIONS = { fields: ['page', 'heading', 'text'], storeFields: ['path', 'page', 'heading'] };
const SEARCH = { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { page: 4, heading: 3 } };

/** The parts of a page: what stands below each of its headings, without code. */
function sectionsOf({ path, title, markdown }) {
  const parts = markdown.replace(/^```[^]*?^```$/gm, '').split(/^#{1,3} (?=\S)/m);
  return parts.flatMap((part) => {
    const [heading = '', ...lines] = part.split('\n');
    const text = lines
      .join(' ')
      .replace(/\]\([^)]*\)|[`*|[\]]/g, ' ')
      .trim();
    if (!heading.trim()) return [];
    const shown = heading.replaceAll('`', '').trim();
    return [{ path: shown === title ? path : `${path}#${idOf(heading.trim())}`, page: title, heading: shown, text }];
  });
}

/** The two files by their paths with their versions. */
export async function searchFiles(pages) {
  const index = new MiniSearch(OPTIONS);
  index.addAll(pages.flatMap(sectionsOf).map((section, id) => ({ id, ...section })));
  const program = `import MiniSearch from 'minisearch';
    const index = MiniSearch.loadJSON(${JSON.stringify(JSON.stringify(index))}, ${JSON.stringify(OPTIONS)});
    export const find = (query) => index.search(query, ${JSON.stringify(SEARCH)}).slice(0, ${MOST});`;
  const common = { bundle: true, write: false, minify: true, platform: 'browser', target: 'es2022' };
  const [script, data] = await Promise.all([
    build({ ...common, entryPoints: [join(here, 'find.ts')], format: 'iife' }),
    build({ ...common, stdin: { contents: program, resolveDir: here }, format: 'esm', charset: 'utf8' }),
  ]);
  return { script: versioned('/docs-find.js', script), index: versioned('/docs-index.js', data) };
}

function versioned(path, { outputFiles: [{ text }] }) {
  return { path, text, address: `${path}?v=${createHash('sha256').update(text).digest('hex').slice(0, 12)}` };
}
