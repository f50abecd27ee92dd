import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { startHost } from '../../../local/host';
import { plain } from './functions';

const MEBIBYTE = 1024 * 1024;

test('a multipart body of 320 MB is streamed with constant memory', async () => {
  const count = plain(async (req, res) => {
    let streamedBytes = 0;
    for await (const chunk of req as AsyncIterable<Buffer>) streamedBytes += chunk.length;
    res.end(JSON.stringify({ streamedBytes }));
  });
  const host = await startHost({ project: 'demo-host', functions: { count } });
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const sent = request(`${host.baseUrl}/count`, { agent: false, method: 'POST', headers });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  const chunk = Buffer.alloc(MEBIBYTE, 'x');
  const before = process.memoryUsage().rss;
  let peak = before;
  for (let i = 0; i < 320; i++) {
    peak = Math.max(peak, process.memoryUsage().rss);
    if (!sent.write(chunk)) await once(sent, 'drain');
  }
  sent.end();
  const [answer] = await answered;
  expect([answer.statusCode, await text(answer)]).toEqual([200, `{"streamedBytes":${320 * MEBIBYTE}}`]);
  expect((peak - before) / MEBIBYTE).toBeLessThan(160);
  await host.close();
});
