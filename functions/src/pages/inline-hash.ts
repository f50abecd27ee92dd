import { createHash } from 'node:crypto';

/** The source expression that lets exactly this inline style or script through a Content-Security-Policy. */
export function inlineHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
