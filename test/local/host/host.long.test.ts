import { once } from 'node:events';
import { request, type IncomingMessage, type RequestOptions } from 'node:http';
import { startHost } from '../../../local/host';
import { plain } from './functions';

const MEBIBYTE = 1024 * 1024;
/** Reads the body as a stream. */
const count = plain(async (req, res) => {
  let streamedBytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) streamedBytes += chunk.length;
  res.end(JSON.stringify({ streamedBytes }));
});

test('a multipart body of 320 MB is streamed with constant memory', async () => {
  const host = await startHost({ project: 'demo-host', functions: { count } });
  const chunk = Buffer.alloc(MEBIBYTE, 'x');
  const before = process.memoryUsage().rss;
  let peak = before;
  const { status, body } = await send(`${host.baseUrl}/count`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    chunks: (function* () {
      for (let sent = 0; sent < 320; sent++) {
        peak = Math.max(peak, process.memoryUsage().rss);
        yield chunk;
      }
    })(),
  });
  expect(status).toBe(200);
  expect(JSON.parse(body)).toEqual({ streamedBytes: 320 * MEBIBYTE });
  expect((peak - before) / MEBIBYTE).toBeLessThan(160);
  await host.close();
});

/** Sends a body in chunks, with backpressure, and reads the whole answer. */
async function send(url: string, options: RequestOptions & { chunks: Iterable<Buffer> }) {
  const { chunks, ...rest } = options;
  const sent = request(url, { agent: false, ...rest });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  for (const chunk of chunks) if (!sent.write(chunk)) await once(sent, 'drain');
  sent.end();
  const [answer] = await answered;
  let body = '';
  for await (const chunk of answer as AsyncIterable<Buffer>) body += chunk.toString();
  return { status: answer.statusCode, body };
}
