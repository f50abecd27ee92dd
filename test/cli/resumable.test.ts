import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeTransport } from '../../client/src/service/node-transport';
import { sendResumable } from '../../client/src/service/resumable';
import { startStorage, type StorageServer } from '../../local/storage';

const MB = 1024 * 1024;

describe('sending a large file', () => {
  /** Injects a fault into the n-th request to the bucket. Returns whether it has answered the request itself. */
  type Fault = (request: IncomingMessage, response: ServerResponse, number: number) => boolean;
  let dataDir: string;
  let storage: StorageServer;
  let network: Server;
  let fault: Fault = () => false;
  let requests: string[] = [];
  const transport = new NodeTransport();
  const bytes = randomBytes(8 * MB);

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'bucket-'));
    storage = await startStorage({ dataDir, buckets: ['bucket'] });
    const { hostname, port } = new URL(storage.url);
    network = createServer((incoming, outgoing) => {
      const { method, url: path, headers } = incoming;
      if (method === 'PUT') requests.push(headers['content-range'] ?? '');
      const onward = request({ hostname, port, method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      outgoing.on('close', () => onward.destroy());
      if (method !== 'PUT' || !fault(incoming, outgoing, requests.length)) incoming.pipe(onward);
    }).listen(0, '127.0.0.1');
    await once(network, 'listening');
  });
  afterAll(async () => {
    transport.close();
    network.close();
    network.closeAllConnections();
    await storage.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  beforeEach(() => {
    fault = () => false;
    requests = [];
  });

  const address = () => `http://127.0.0.1:${(network.address() as AddressInfo).port}`;

  async function send(): Promise<{ counted: number; waits: string[] }> {
    const opened = await fetch(`${address()}/upload/storage/v1/b/bucket/o?uploadType=resumable&name=${Math.random()}`, {
      method: 'POST',
    });
    let counted = 0;
    const waits: string[] = [];
    const open = async function* (from: number, to: number) {
      for (let at = from; at < to; at += 65_536)
        yield await Promise.resolve(bytes.subarray(at, Math.min(to, at + 65_536)));
    };
    const upload = {
      url: opened.headers.get('location')!,
      headers: {},
      size: bytes.length,
      open,
      onSent: (sent: number) => (counted = sent),
    };
    const onWait = (reason: string) => void waits.push(reason);
    await sendResumable(upload, { transport, onWait, signal: new AbortController().signal });
    return { counted, waits };
  }

  /** Breaks the connection after `limit` bytes. */
  const breakAfter = (limit: number, incoming: IncomingMessage, outgoing: ServerResponse) => {
    let seen = 0;
    incoming.on('data', (chunk: Buffer) => {
      seen += chunk.length;
      if (seen > limit) outgoing.destroy();
    });
  };

  test('takes one request without a failure', async () => {
    expect(await send()).toEqual({ counted: bytes.length, waits: [] });
    expect(requests).toEqual([`bytes 0-${bytes.length - 1}/${bytes.length}`]);
  });

  test('resumes after a broken connection: it asks the bucket how many bytes it holds', async () => {
    fault = (incoming, outgoing, number) => {
      if (number === 1) breakAfter(4 * MB, incoming, outgoing);
      return false;
    };
    const { counted, waits } = await send();
    expect(counted).toBe(bytes.length);
    expect(waits[0]).toContain('The connection failed');
    expect(requests[1]).toBe(`bytes */${bytes.length}`);
    const from = Number(/^bytes (\d+)-/.exec(requests[2]!)![1]);
    expect(from).toBeGreaterThan(MB);
    expect(requests).toHaveLength(3);
  });

  test('retries when the bucket answers 503, and finds that a lost answer was a success', async () => {
    fault = (_incoming, outgoing, number) => {
      if (number > 2) return false;
      outgoing.writeHead(503).end();
      return true;
    };
    expect((await send()).counted).toBe(bytes.length);
    expect(requests.slice(1)).toEqual([`bytes */${bytes.length}`, `bytes */${bytes.length}`, requests[0]]);

    requests = [];
    fault = (_incoming, outgoing, number) => {
      // The connection is closed when the answer begins.
      if (number === 1) outgoing.on('pipe', () => outgoing.destroy());
      return false;
    };
    expect((await send()).counted).toBe(bytes.length);
    expect(requests).toHaveLength(2);
  });

  test('fails without a retry when the signed address has expired', async () => {
    fault = (_incoming, outgoing) => {
      outgoing.writeHead(410).end();
      return true;
    };
    await expect(send()).rejects.toMatchObject({ code: 'upload-lost', status: 410 });
    expect(requests).toHaveLength(1);
  });
});
