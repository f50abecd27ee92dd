// express with the tokens in memory: the same addresses, headers and counts as the viewer's function, without a
// database. This is what one server with one disk would cost.
import { join } from 'node:path';
import express from 'express';
import { announce } from './announce.mjs';
import { decks, folder } from './deck-files.mjs';

const byId = new Map(
  decks.map((deck) => [
    deck.presentationId,
    {
      tokens: new Map([[deck.token, { expiresAt: Date.now() + 86_400_000 }]]),
      entryPath: deck.entryPath,
      files: new Map(deck.files.map((file) => [file.path, file])),
      views: 0,
      lastViewedAt: null,
    },
  ]),
);

const policy = [
  'sandbox allow-scripts allow-forms allow-modals allow-popups allow-presentation allow-downloads',
  `default-src 'self' https: data: blob: 'unsafe-inline' 'unsafe-eval'`,
  `connect-src 'self' https: wss: data: blob:`,
  `worker-src 'self' blob: data:`,
  `base-uri 'self'`,
  `form-action 'self' https:`,
].join('; ');

const app = express();
app.disable('x-powered-by');
app.get('/:id/_t/:token{/*path}', (request, response) => {
  const { id, token, path = [] } = request.params;
  const deck = byId.get(id);
  const link = deck?.tokens.get(token);
  if (!link || link.expiresAt < Date.now()) return response.status(404).send('Not found.');
  const file = deck.files.get(path.join('/') || deck.entryPath);
  if (!file) return response.status(404).send('Not found.');
  response.set({
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex, nofollow',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': 'private, max-age=300, must-revalidate',
    'Content-Type': file.contentType,
    ETag: `"${file.sha256}"`,
  });
  if (file.contentType === 'text/html') response.set('Content-Security-Policy', policy);
  if (file.path === deck.entryPath) {
    deck.views++;
    deck.lastViewedAt = new Date();
  }
  response.sendFile(join(id, file.path), { root: folder, cacheControl: false });
});
announce(app.listen(0, '127.0.0.1'));
