// A local cloud in a separate process, and a client that pushes and views decks.
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { root } from '../scripts/root.mjs';
import { Program } from './processes.mjs';

/**
 * Starts the built local cloud on free ports and creates an account. `data` is its data folder; without one it has a
 * temporary folder.
 */
export async function startService({ node = process.execPath, data } = {}) {
  const options = ['--ephemeral', '--json', '--no-schedules', ...(data ? ['--data', data] : [])];
  const startedAt = performance.now();
  // With --json, the functions log one line for each request to standard error.
  const program = new Program(node, [join(root, '.build/local.js'), ...options], { pinned: false });
  const ready = await program.ready();
  const service = new Service(ready, program, performance.now() - startedAt);
  await service.signUp();
  return service;
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** A file of random bytes, which cannot be compressed. */
export function file(path, size, contentType = 'application/octet-stream') {
  const bytes = randomBytes(size);
  return { path, bytes, row: { path, sha256: sha256(bytes), size, contentType } };
}

class Service {
  constructor(ready, program, startMs) {
    Object.assign(this, { ready, program, startMs });
  }

  async call(name, body, headers = {}) {
    const isForm = body instanceof FormData;
    const response = await fetch(`${this.ready.baseUrl}/${name}`, {
      method: 'POST',
      headers: {
        ...(this.key && { authorization: `Bearer ${this.key}` }),
        ...(!isForm && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isForm ? body : JSON.stringify(body),
    });
    const { data, error } = await response.json();
    if (error) throw new Error(`${name}: ${error.code} ${error.message}`);
    return data;
  }

  /** Lists a page of the marketplace. */
  async list(query) {
    const response = await fetch(`${this.ready.baseUrl}/listMarketplaceListings?${new URLSearchParams(query)}`);
    const { data, error } = await response.json();
    if (error) throw new Error(`listMarketplaceListings: ${error.code} ${error.message}`);
    return { ...data, requestId: response.headers.get('x-request-id') };
  }

  /** The number of documents that the database read for a request. The request must be the last one. */
  async documentsRead(requestId) {
    while (!this.program.lastLines.at(-1)?.includes(requestId)) await setTimeout(10);
    return JSON.parse(this.program.lastLines.at(-1)).databaseReads;
  }

  async signUp() {
    const email = 'bench@example.org';
    await this.call('cliRequestSignupOtp', { email });
    const { messages } = await (await fetch(`${this.ready.mailUrl}/messages?to=${email}`)).json();
    const code = /\d{6}/.exec(messages[0].text)[0];
    this.key = (await this.call('cliCompleteSignup', { email, code, user: { firstName: 'Bench' } })).apiKey.raw;
  }

  upload(target, { bytes, row }) {
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...target, sha256: row.sha256, contentType: row.contentType }))
      form.append(name, value);
    form.append('file', new Blob([bytes]), 'file');
    return this.call('uploadPresentationAsset', form);
  }

  /** Uploads the files, eight at a time, and commits them as a new deck or as the next version of `deck`. */
  async push(files, deck) {
    const opened = deck ?? (await this.call('precheckAssets', { hashes: [] }));
    const target = deck ? { presentationId: deck.presentationId } : { sessionId: opened.sessionId };
    const queue = [...files];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let next = queue.pop(); next; next = queue.pop()) await this.upload(target, next);
      }),
    );
    return this.commit(files, deck ? target : { ...target, title: 'bench' });
  }

  commit(files, target) {
    return this.call('commitPresentationVersion', {
      ...target,
      entryPath: files[0].path,
      files: files.map(({ row }) => row),
    });
  }

  async view(deck, path) {
    const response = await fetch(
      `${this.ready.baseUrl}/getSharedPresentation/${deck.presentationId}/_t/${deck.token}/${path}`,
    );
    if (!response.ok) throw new Error(`view: ${response.status}`);
    return response.arrayBuffer();
  }

  stop() {
    return this.program.stop();
  }
}
