import { once } from 'node:events';
import type { ServerResponse as Response } from 'node:http';

/** Sends texts as they come, as fast as the client takes them. Ends when the client is gone. */
export async function sendText(response: Response, texts: AsyncIterable<string>): Promise<void> {
  response.statusCode = 200;
  for await (const text of texts) {
    if (response.destroyed) return;
    if (!response.write(text)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}
