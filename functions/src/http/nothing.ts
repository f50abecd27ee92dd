import type { ServerResponse as Response } from 'node:http';

/** Answers 204. */
export function sendNothing(response: Response): void {
  response.statusCode = 204;
  response.setHeader('Cache-Control', 'no-store');
  response.end();
}
