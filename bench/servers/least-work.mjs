// The least work that a Node server can do for these requests: a look-up in a Map, and an answer from memory. It keeps
// nothing. A POST writes its body to a file, syncs it as the bucket of the service does, and answers.
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { announce } from './announce.mjs';
import { decks, folder } from './deck-files.mjs';

const files = new Map();
for (const { presentationId, token, entryPath, files: rows } of decks) {
  for (const { path, sha256, contentType } of rows) {
    const file = { etag: `"${sha256}"`, contentType, bytes: readFileSync(join(folder, presentationId, path)) };
    files.set(`/${presentationId}/_t/${token}/${path === entryPath ? '' : path}`, file);
  }
}

const uploads = join(folder, 'uploads');
mkdirSync(uploads, { recursive: true });
let received = 0;

async function receive(request, response) {
  await pipeline(request, createWriteStream(join(uploads, String(++received)), { flush: true }));
  response.end('{}');
}

announce(
  createServer((request, response) => {
    if (request.method === 'POST') return receive(request, response);
    const file = files.get(request.url);
    if (!file) return response.writeHead(404).end();
    if (request.headers['if-none-match'] === file.etag) return response.writeHead(304, { ETag: file.etag }).end();
    const headers = { ETag: file.etag, 'Content-Type': file.contentType };
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const bytes = from ? file.bytes.subarray(Number(from), Number(to) + 1) : file.bytes;
    if (from) headers['Content-Range'] = `bytes ${from}-${to}/${file.bytes.length}`;
    headers['Content-Length'] = bytes.length;
    response.writeHead(from ? 206 : 200, headers).end(bytes);
  }).listen(0, '127.0.0.1'),
);
