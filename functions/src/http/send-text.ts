import type { ServerResponse as Response } from 'node:http';

/** Sends texts as they come, as fast as the client takes them. Ends when the client is gone. */
export async function sendText(response: Response, texts: AsyncIterable<string>): Promise<void> {
  response.statusCode = 200;
  for await (const text of texts) {
    if (response.destroyed) return;
    if (!response.write(text)) await isTaken(response);
  }
  response.end();
}

/** Resolves when the client has taken the bytes that were written, or has closed the connection. */
export function isTaken(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    if (response.closed) resolve();
    else response.on('drain', done).on('close', done);
  });
}
