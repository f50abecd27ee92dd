import type { IncomingMessage, ServerResponse } from 'node:http';

/** Thrown by `readBody` for a body above its limit. */
export class BodyTooLarge extends Error {}

/** Thrown by `readJson` for a body that is not JSON. */
export class BodyNotJson extends Error {}

/**
 * Reads the whole body. Throws BodyTooLarge above `limitBytes`, after reading all of it, so that the client can receive
 * the answer.
 */
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

/** Reads the body as JSON, `undefined` when it is empty. Throws BodyTooLarge and BodyNotJson. */
export async function readJson(req: IncomingMessage, limitBytes: number): Promise<unknown> {
  const body = await readBody(req, limitBytes);
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (cause) {
    throw new BodyNotJson('The body is not JSON.', { cause });
  }
}

/** Answers with JSON that must not be cached. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'no-store',
  });
  res.end(bytes);
}
