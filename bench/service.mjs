// A local cloud in a separate process, and a client that pushes and views decks.
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { root } from '../scripts/root.mjs';
import { Program } from './processes.mjs';

/**
 * Starts the built local cloud on free ports and creates an account. `data` is its data folder; without one it has a
 * temporary folder. `pinned` runs it on the processor of the servers.
 */
export async function startService({ node, data, pinned = false }) {
  const options = ['--ephemeral', '--json', '--no-schedules', ...(data ? ['--data', data] : [])];
  const startedAt = performance.now();
  // With --json, the functions log one line for each request to standard error.
  const program = new Program(node, [join(root, '.build/local.js'), ...options], { pinned });
  const ready = await program.ready();
  return connect(ready, program, performance.now() - startedAt);
}

/** Creates an account on a running local cloud. */
export async function connect(ready, program, startMs) {
  // The bench builds the client library before it starts a service.
  const { DeckService } = await import('../client/dist/index.mjs');
  const service = new Service(ready, program, startMs, new DeckService({ baseUrl: ready.baseUrl }));
  await service.signUp();
  return service;
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

export const fileOf = (path, bytes, contentType) => ({
  path,
  bytes,
  row: { path, sha256: sha256(bytes), size: bytes.length, contentType },
});

/** A file of random bytes, which cannot be compressed. */
export const file = (path, size, contentType = 'application/octet-stream') =>
  fileOf(path, randomBytes(size), contentType);

/** Runs `work` on each item, `width` at a time. */
export async function inParallel(width, items, work) {
  const queue = [...items].reverse();
  const worker = async () => {
    while (queue.length > 0) await work(queue.pop());
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** A client of a running local cloud, whose ready line and process it holds. */
class Service {
  constructor(ready, program, startMs, client) {
    Object.assign(this, { ready, program, startMs, client });
  }

  call(name, input) {
    return this.client.post(name, input);
  }

  /** Sends a form of files that are in memory. The library sends those of a disk. */
  async send(name, form) {
    const headers = { authorization: `Bearer ${this.key}` };
    const response = await fetch(`${this.ready.baseUrl}/${name}`, { method: 'POST', headers, body: form });
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
    const { apiKey } = await this.call('cliCompleteSignup', { email, code, user: { firstName: 'Bench' } });
    this.key = apiKey.raw;
    this.client = this.client.withKey(this.key);
  }

  upload(target, { bytes, row }) {
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...target, sha256: row.sha256, contentType: row.contentType }))
      form.append(name, value);
    form.append('file', new Blob([bytes]), 'file');
    return this.send('uploadPresentationAsset', form);
  }

  /** Uploads the files one by one, eight at a time. */
  async uploadSingly(target, files) {
    await inParallel(8, files, (next) => this.upload(target, next));
  }

  /** Uploads the files as `deck push` does: forms of at most 200 files and 8 MB, three at a time. */
  async uploadForms(target, files) {
    const forms = [];
    let bytes = Infinity;
    for (const next of files) {
      bytes += next.row.size;
      if (bytes > 8e6 || forms.at(-1).length === 200) [bytes] = [next.row.size, forms.push([])];
      forms.at(-1).push(next);
    }
    await inParallel(3, forms, (parts) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(target)) form.append(name, value);
      for (const { bytes, row } of parts) form.append(row.sha256, new Blob([bytes], { type: row.contentType }), 'file');
      return this.send('uploadPresentationAssets', form);
    });
  }

  /** A new target of uploads: a session of an hour. */
  async openSession() {
    const { sessionId } = await this.call('precheckAssets', { hashes: [] });
    return { sessionId };
  }

  /** Uploads the files and commits them as a new deck. */
  async push(files) {
    const target = await this.openSession();
    await this.uploadSingly(target, files);
    return this.commit(files, { ...target, title: 'bench' });
  }

  commit(files, target) {
    return this.call('commitPresentationVersion', {
      ...target,
      entryPath: files[0].path,
      files: files.map(({ row }) => row),
    });
  }

  async view(deck, path, headers = {}) {
    const address = `${this.ready.baseUrl}/getSharedPresentation/${deck.presentationId}/_t/${deck.token}/${path}`;
    const response = await fetch(address, { headers });
    if (!response.ok) throw new Error(`view: ${response.status}`);
    return response.arrayBuffer();
  }

  stop() {
    this.client.close();
    return this.program.stop();
  }
}
