// Bundles the runtime: the scripts that the service puts in front of the pages of a deck, those of its own pages, and
// the one with which the command-line client draws slides.
const { join } = require('node:path');
const { buildSync } = require('esbuild');

const bundles = {};

/** The script of one entry point as text. It contains no line break, and nothing that ends a script element. */
function bundle(name, format = 'iife') {
  bundles[name] ??= buildSync({
    entryPoints: [join(__dirname, `${name}.ts`)],
    bundle: true,
    write: false,
    minify: true,
    format,
    platform: 'browser',
    // What the browsers of 2020 understand.
    target: 'es2020',
    logLevel: 'warning',
  }).outputFiles[0].text.trim();
  return bundles[name];
}

module.exports = {
  /** For the page around a deck. */
  get outer() {
    return bundle('outer');
  },
  /** For decks on an origin of their own. */
  get linked() {
    return bundle('linked');
  },
  /** For decks that run in a frame with an opaque origin. */
  get framed() {
    return bundle('framed');
  },
  /** For decks during a live session: a module, which the runtime imports. */
  get live() {
    return bundle('live', 'esm');
  },
  /** For the home page. */
  get home() {
    return bundle('home');
  },
  /** For the lists of the marketplace. */
  get browse() {
    return bundle('browse');
  },
  /** For the page of a listing. */
  get listing() {
    return bundle('listing');
  },
  /** For programs that draw the slides of a deck. */
  get driver() {
    return bundle('driver');
  },
};
