import type { IncomingMessage, ServerResponse } from 'node:http';

/** Thrown by `readBody` for a body above its limit. */
export class BodyTooLarge extends Error {}

/** Thrown by `readJson` for a body that is not JSON. */
export class BodyNotJson extends Error {}

/** The whole body, at most `limitBytes`; a longer one is read to its end, so that the sender sees the answer, and refused. */
export async function readBody(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limitBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size > limitBytes) throw new BodyTooLarge(`The body exceeds ${limitBytes} bytes.`);
  return Buffer.concat(chunks);
}

/** The body as JSON, `undefined` when it is empty. */
export async function readJson(req: IncomingMessage, limitBytes: number): Promise<unknown> {
  const body = await readBody(req, limitBytes);
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (cause) {
    throw new BodyNotJson('The body is not JSON.', { cause });
  }
}

/** Answers with JSON that nobody may cache. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'no-store',
  });
  res.end(bytes);
}
