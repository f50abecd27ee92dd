import { invalid } from './errors';
import { numberOf } from './preconditions';
import type { Store } from './store';
import type { StoredObject } from './stored-object';

const PAGE_SIZE = 1000;

/** One page of objects and prefixes ("folders"), in byte order. */
export interface Page {
  items: StoredObject[];
  prefixes: string[];
  nextPageToken?: string;
}

/** Lists a bucket as `objects.list` does: prefix, delimiter, startOffset, endOffset, matchGlob and paging. */
export function listPage(store: Store, bucket: string, query: URLSearchParams): Page {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') || undefined;
  const withTrailing = query.get('includeTrailingDelimiter') === 'true';
  const glob = globOf(query.get('matchGlob'));
  const end = Buffer.from(query.get('endOffset') ?? '');
  const limit = Math.min(numberOf(query, 'maxResults') || PAGE_SIZE, PAGE_SIZE);
  const page: Page = { items: [], prefixes: [] };

  let start = [
    Buffer.from(prefix),
    Buffer.from(query.get('startOffset') ?? ''),
    afterToken(query.get('pageToken')),
  ].reduce((a, b) => (Buffer.compare(a, b) >= 0 ? a : b));
  let last: { name: string; isPrefix: boolean } | undefined;
  for (let more = true; more;) {
    more = false;
    for (const object of store.scan(bucket, start)) {
      if (!object.name.startsWith(prefix)) break;
      if (end.length > 0 && Buffer.compare(Buffer.from(object.name), end) >= 0) break;
      const at = delimiter ? object.name.indexOf(delimiter, prefix.length) : -1;
      const folder = at === -1 ? undefined : object.name.slice(0, at + delimiter!.length);
      const isShown =
        (folder === undefined || (withTrailing && folder === object.name)) && (glob?.test(object.name) ?? true);
      const isNewFolder = folder !== undefined && !glob && page.prefixes.at(-1) !== folder;
      if (page.items.length + page.prefixes.length >= limit && (isShown || isNewFolder)) {
        return { ...page, nextPageToken: tokenAfter(last!) };
      }
      if (isNewFolder) page.prefixes.push(folder);
      if (isShown) page.items.push(object);
      if (isShown || isNewFolder) last = { name: folder ?? object.name, isPrefix: folder !== undefined };
      if (folder !== undefined && !glob && !withTrailing) {
        // Skip the objects below the folder: continue the scan after it.
        start = afterFolder(folder);
        more = true;
        break;
      }
    }
  }
  return page;
}

/** A position after every name that begins with `folder`: UTF-8 does not use the byte 0xFF. */
function afterFolder(folder: string): Buffer {
  return Buffer.concat([Buffer.from(folder), Buffer.from([0xff])]);
}

function tokenAfter(last: { name: string; isPrefix: boolean }): string {
  return Buffer.concat([last.isPrefix ? afterFolder(last.name) : Buffer.from(`${last.name}\0`)]).toString('base64url');
}

function afterToken(token: string | null): Buffer {
  if (token !== null && !/^[\w-]+$/.test(token)) throw invalid('Invalid page token.');
  return Buffer.from(token ?? '', 'base64url');
}

/**
 * Compiles a glob with `*` (within a folder), `**` (across folders), `?`, `[abc]`, `[!a-c]` and `{a,b}`. Throws 400.
 */
export function globOf(pattern: string | null): RegExp | undefined {
  if (!pattern) return undefined;
  let source = '';
  let braces = 0;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]!;
    const close = char === '[' ? pattern.indexOf(']', at + 2) : -1;
    if (char === '*' && pattern[at + 1] === '*') {
      const isWholeSegment = pattern[at + 2] === '/' && (at === 0 || pattern[at - 1] === '/');
      source += isWholeSegment ? '(?:.*/)?' : '.*';
      at += isWholeSegment ? 2 : 1;
    } else if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (close !== -1) {
      const set = pattern.slice(at + 1, close).replace(/[\\\]]/g, '\\$&');
      source += `(?!/)[${set.replace(/^!/, '^')}]`;
      at = close;
    } else if (char === '{') {
      source += '(?:';
      braces++;
    } else if (char === '}' && braces > 0) {
      source += ')';
      braces--;
    } else if (char === ',' && braces > 0) source += '|';
    else if (char === '\\' && at + 1 < pattern.length) source += escapeRegExp(pattern[++at]!);
    else source += escapeRegExp(char);
  }
  if (braces > 0) throw invalid(`Invalid matchGlob: ${pattern}`);
  try {
    return new RegExp(`^${source}$`, 'su');
  } catch {
    throw invalid(`Invalid matchGlob: ${pattern}`);
  }
}

function escapeRegExp(char: string): string {
  return char.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
