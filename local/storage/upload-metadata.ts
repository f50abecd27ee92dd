import { header, type Call } from './call';
import type { Digest } from './digest';
import { invalid, required } from './errors';
import { assertObjectName, objectOf } from './resource';
import type { Session } from './store';

/** The hashes that the client expects, from its metadata or from `X-Goog-Hash`. */
export type ExpectedHashes = Session['expected'];

/** Checks the object name that the query or the metadata contains. */
export function nameOf(name: unknown): string {
  if (typeof name !== 'string' || name === '') throw required('name');
  assertObjectName(name);
  return name;
}

/** Parses metadata as a JSON object. Blank text counts as an empty object. */
export function parseMetadata(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    return objectOf(JSON.parse(text));
  } catch {
    throw invalid('Parse Error');
  }
}

export function expectedIn(metadata: Record<string, unknown>): ExpectedHashes {
  const { md5Hash, crc32c } = metadata;
  return {
    ...(typeof md5Hash === 'string' && { md5Hash }),
    ...(typeof crc32c === 'string' && { crc32c }),
  };
}

/** `X-Goog-Hash: crc32c=…,md5=…` and `Content-MD5`. */
export function hashesInHeaders(call: Call): ExpectedHashes {
  const expected: ExpectedHashes = {};
  const contentMd5 = header(call, 'content-md5');
  if (contentMd5) expected.md5Hash = contentMd5;
  for (const pair of (header(call, 'x-goog-hash') ?? '').split(',')) {
    const [, kind, value] = /^\s*(crc32c|md5)=(\S+)\s*$/i.exec(pair) ?? [];
    if (kind) expected[kind.toLowerCase() === 'md5' ? 'md5Hash' : 'crc32c'] = value!;
  }
  return expected;
}

/** Throws 400 when the bytes do not have the expected hashes. */
export function assertHashes(digest: Digest, expected: ExpectedHashes): void {
  const { md5Hash, crc32c } = digest.hashes();
  if (expected.crc32c !== undefined && expected.crc32c !== crc32c) {
    throw invalid(`Provided CRC32C "${expected.crc32c}" doesn't match calculated CRC32C "${crc32c}".`);
  }
  if (expected.md5Hash !== undefined && expected.md5Hash !== md5Hash) {
    throw invalid(`Provided MD5 hash "${expected.md5Hash}" doesn't match calculated MD5 hash "${md5Hash}".`);
  }
}
