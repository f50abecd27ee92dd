import { createHash } from 'node:crypto';

/** The source expression of a Content-Security-Policy that allows exactly this inline style or script. */
export function inlineHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
