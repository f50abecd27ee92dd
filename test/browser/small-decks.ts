import { page, type DeckFile } from '../support/world';

const file = (path: string, text: string, contentType: string): DeckFile => ({
  path,
  bytes: Buffer.from(text),
  contentType,
});

/** A page of a deck. */
export const html = (body: string, path = 'index.html') =>
  file(path, `<!doctype html><head><meta charset="utf-8">${body}`, page().contentType);

/** A script of a deck. */
export const js = (path: string, text: string) => file(path, text, 'text/javascript; charset=utf-8');

export const json = (path: string, text: string) => file(path, text, 'application/json');
