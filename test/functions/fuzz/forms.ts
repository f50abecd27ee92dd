import { createHash } from 'node:crypto';

const BOUNDARY = 'fuzz-boundary';

/**
 * A multipart form of an input: the field `file`, and fields whose name is a hash, are files. A name or value that
 * starts with `raw:` would not survive a client that escapes it, so the form is written by hand.
 */
export function formOf(input: unknown): { type: string; bytes: Buffer } {
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : [];
  const bytes = Buffer.from(JSON.stringify(input) ?? '').subarray(0, 5000);
  const hash = createHash('sha256').update(bytes).digest('hex');
  const isGroup = !fields.some(([name]) => name === 'sha256' || name === 'file');
  const parts = fields.filter(([name, value]) => name !== 'file' && value !== undefined && value !== null);
  const hashed = parts.map(([name, value]) => part(name, name === 'sha256' && isHash(value) ? hash : text(value)));
  const type = fields.some(([name]) => name === 'version') ? 'image/png' : 'text/css';
  const file = part(isGroup ? hash : 'file', bytes, type);
  return {
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    bytes: Buffer.concat([...hashed, file, Buffer.from(`--${BOUNDARY}--\r\n`)]),
  };
}

const isHash = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function part(name: string, value: string | Buffer, type?: string): Buffer {
  const disposition = `form-data; name="${name}"${type ? '; filename="file.bin"' : ''}`;
  const head = `--${BOUNDARY}\r\ncontent-disposition: ${disposition}\r\n${type ? `content-type: ${type}\r\n` : ''}\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')]);
}
