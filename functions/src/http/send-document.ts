import type { ServerResponse } from 'node:http';

interface DocumentAnswer {
  contentType: string;
  text: string;
  cacheControl: string;
}

/** Answers a text for other programs. A HEAD request gets the headers only. */
export function sendDocument(response: ServerResponse, method: string, document: DocumentAnswer): void {
  const { contentType, text, cacheControl } = document;
  response.statusCode = 200;
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.setHeader('Cache-Control', cacheControl);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(method === 'HEAD' ? undefined : text);
}
