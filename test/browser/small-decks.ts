import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TypeFinder } from '../../client/src/folder/content-type';
import type { DeckFile } from '../support/world';
import type { DeckFolder } from './decks';

/** A file with the type that a push gives it. */
export function file(path: string, content: string | Buffer): DeckFile {
  const bytes = Buffer.from(content);
  const types = new TypeFinder(path);
  types.update(bytes);
  return { path, bytes, contentType: types.contentType() };
}

/** A page of a deck. */
export const html = (body: string, path = 'index.html') =>
  file(path, `<!doctype html><head><meta charset="utf-8">${body}`);

/** The files of a folder; the entry is the first one. */
export const filesOf = (folder: DeckFolder): DeckFile[] =>
  Object.entries(folder).map(([path, content]) => file(path, content));

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A deck of reveal.js with a column of slides and two fragments. */
export const revealDeck = `<div class="reveal"><div class="slides">
  <section id="start"><h1>One</h1></section>
  <section>
    <section><h2>Down</h2></section>
    <section><h2>Down</h2><p class="fragment">a</p><p class="fragment">b</p></section>
  </section>
  <section data-background="#fff"></section>
</div></div><script src="/reveal.js"></script><script>Reveal.initialize({ autoSlide: 0 })</script>`;

/** A file of reveal.js, such as the script of that deck. */
export const revealFile = (name: string) =>
  readFile(join(__dirname, '../../node_modules/reveal.js/dist', name), 'utf8');
