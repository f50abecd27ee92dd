import { storageCall, type Bucket } from './bucket';

const PAGE_SIZE = 1000;

interface Query {
  prefix: string;
  /** The first object name, inclusive. */
  startOffset?: string;
  /** The end of the object names, exclusive. */
  endOffset?: string;
}

/**
 * The objects of a query in pages of 1 000, in the order of their names. Each page is a call with its own time limit
 * and retries.
 */
export async function* listPages(store: Bucket, query: Query): AsyncGenerator<ReturnType<Bucket['file']>[]> {
  let pageToken: string | undefined;
  do {
    const page = { ...query, maxResults: PAGE_SIZE, autoPaginate: false, ...(pageToken && { pageToken }) };
    const [objects, next] = await storageCall(() => store.getFiles(page));
    yield objects;
    pageToken = (next as { pageToken?: string } | null)?.pageToken;
  } while (pageToken);
}
