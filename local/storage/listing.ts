import { invalid, notServed } from './errors';
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

/** Lists a bucket as `objects.list` does: prefix, delimiter, startOffset, endOffset and paging. */
export function listPage(store: Store, bucket: string, query: URLSearchParams): Page {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') || undefined;
  const withTrailing = query.get('includeTrailingDelimiter') === 'true';
  if (query.has('matchGlob')) throw notServed('matchGlob');
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
      const isShown = folder === undefined || (withTrailing && folder === object.name);
      const isNewFolder = folder !== undefined && page.prefixes.at(-1) !== folder;
      if (page.items.length + page.prefixes.length >= limit && (isShown || isNewFolder)) {
        return { ...page, nextPageToken: tokenAfter(last!) };
      }
      if (isNewFolder) page.prefixes.push(folder);
      if (isShown) page.items.push(object);
      if (isShown || isNewFolder) last = { name: folder ?? object.name, isPrefix: folder !== undefined };
      if (folder !== undefined && !withTrailing) {
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
