import { createHash } from 'node:crypto';
import { parseAggregation } from './aggregate';
import type { Call } from './connections';
import type { Engine, ReadContext } from './engine';
import { invalidArgument, notFound } from './errors';
import {
  documentKey,
  nameOf,
  parseCollectionId,
  parseDatabase,
  parseDocumentName,
  parseParent,
  pathPrefix,
  readSegments,
} from './names';
import { parseQuery } from './query';
import { type Mask, maskOf, project, type Statistics } from './responses';
import { children } from './scan';
import type { Reader } from './store';
import { toTimestamp } from './time';
import {
  type AggregationProto,
  type Consistency,
  decodeDocument,
  encodeDocument,
  encodeRequest,
  type RawDocuments,
  type StructuredQuery,
} from './wire';

/** Sends one response of a stream. Resolves when the client can receive more. */
export type Respond = (response: RawDocuments & Record<string, unknown>) => Promise<void>;

const MAX_PAGE_SIZE = 300;
const MAX_PAGE_BYTES = 3 * 2 ** 20;
/** After this many results the method yields to the event loop. */
const RESULTS_PER_TURN = 200;

const newTransactionId = ({ transaction, isNew }: ReadContext) =>
  transaction && isNew ? { transaction: transaction.id } : {};
const yieldTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

const inTransaction = ({ transaction, newTransaction }: Consistency) =>
  Boolean(transaction?.length) || newTransaction !== undefined;

/** The part of a request that selects documents, encoded: the same for equal queries of several transactions. */
const encodedQuery = (rpc: string, request: Consistency): Buffer => {
  const { transaction: _id, newTransaction: _options, readTime: _time, ...query } = request;
  return encodeRequest(rpc, query);
};
const fingerprintOf = (documents: Buffer[]): string => {
  const hash = createHash('sha256');
  for (const document of documents) hash.update(document);
  return hash.digest('base64');
};

/** The methods that read. */
export class ReadMethods {
  constructor(
    private readonly engine: Engine,
    private readonly statistics: Statistics,
  ) {}

  getDocument = async (request: { name?: string; mask?: Mask } & Consistency, call: Call): Promise<object> => {
    const key = documentKey(parseDocumentName(request.name));
    const mask = maskOf(request.mask);
    return this.engine.read(request, this.engine.documentLocks([key]), call, async (context) => {
      const [document] = this.engine.documentsIn(context, [key]);
      this.statistics.documentReads++;
      if (!document) throw notFound(`Document "${request.name ?? ''}" not found.`);
      return decodeDocument(project(document, mask));
    });
  };

  batchGetDocuments = async (
    request: { database?: string; documents?: string[]; mask?: Mask } & Consistency,
    call: Call,
    respond: Respond,
  ): Promise<void> => {
    const root = parseDatabase(request.database);
    const names = [...new Set(request.documents ?? [])];
    const keys = names.map((name) => documentKey(parseDocumentName(name, root)));
    const mask = maskOf(request.mask);
    await this.engine.read(request, this.engine.documentLocks(keys), call, async (context) => {
      const readTime = toTimestamp(context.readTime);
      // The cloud sends the id of a new transaction first, in a separate message.
      if (context.isNew) await respond(newTransactionId(context));
      for (const [i, document] of this.engine.documentsIn(context, keys).entries()) {
        this.statistics.documentReads++;
        await respond(
          document ? { rawDocuments: [project(document, mask)], readTime } : { missing: names[i], readTime },
        );
      }
    });
  };

  runQuery = async (
    request: { parent?: string; structuredQuery?: StructuredQuery } & Consistency,
    call: Call,
    respond: Respond,
  ): Promise<void> => {
    const query = parseQuery(request.parent, request.structuredQuery);
    const plans = this.engine.plan(query);
    const locks = inTransaction(request) ? this.engine.queryLock(query, encodedQuery('RunQuery', request)) : [];
    await this.engine.read(request, locks, call, async (context) => {
      const readTime = toTimestamp(context.readTime);
      if (context.isNew) await respond(newTransactionId(context));
      let found = 0;
      for (const hit of this.engine.queryIn(context, query, plans)) {
        this.statistics.documentReads++;
        await respond({ rawDocuments: [project(hit.document, query.select)], readTime });
        if (++found % RESULTS_PER_TURN === 0) await yieldTurn();
      }
      if (found > 0) return;
      // A query without results is billed as one read.
      this.statistics.documentReads++;
      await respond({ readTime });
    });
  };

  runAggregationQuery = async (
    request: {
      parent?: string;
      structuredAggregationQuery?: { structuredQuery?: StructuredQuery; aggregations?: AggregationProto[] };
    } & Consistency,
    call: Call,
    respond: Respond,
  ): Promise<void> => {
    const proto = request.structuredAggregationQuery;
    const aggregation = parseAggregation(request.parent, proto);
    this.engine.plan(aggregation.query);
    const locks = inTransaction(request)
      ? this.engine.queryLock(aggregation.query, encodedQuery('RunAggregationQuery', request))
      : [];
    await this.engine.read(request, locks, call, async (context) => {
      const { values, visited } = this.engine.aggregateIn(context, aggregation);
      // The cloud bills one read for each 1000 index entries.
      this.statistics.documentReads += Math.max(1, Math.ceil(visited / 1000));
      await respond({
        ...newTransactionId(context),
        result: { aggregateFields: values },
        readTime: toTimestamp(context.readTime),
      });
    });
  };

  listDocuments = async (
    request: {
      parent?: string;
      collectionId?: string;
      pageSize?: number;
      pageToken?: string;
      mask?: Mask;
      showMissing?: boolean;
    } & Consistency,
    call: Call,
  ): Promise<object> => {
    const parent = parseParent(request.parent);
    const collectionId = parseCollectionId(request.collectionId ?? '');
    if ((request.pageSize ?? 0) < 0) throw invalidArgument('Page size must be nonnegative.');
    const mask = maskOf(request.mask);
    const prefix = pathPrefix({ ...parent, segments: [...parent.segments, collectionId] });
    const from = { prefix: Buffer.from(request.pageToken ?? '', 'base64'), after: Boolean(request.pageToken) };
    const readPage = (reader: Reader) => {
      const rawDocuments: Buffer[] = [];
      let bytes = 0;
      for (const child of children(reader, prefix, from)) {
        if (!child.exists && !request.showMissing) continue;
        const document = child.exists ? reader.document(Buffer.concat([child.prefix, Buffer.of(0)]))! : undefined;
        const segments = document ? [] : readSegments(child.prefix, 8);
        rawDocuments.push(
          document ? project(document, mask) : encodeDocument({ name: nameOf({ ...parent, segments }) }),
        );
        bytes += rawDocuments.at(-1)!.length;
        if (rawDocuments.length < (request.pageSize || MAX_PAGE_SIZE) && bytes < MAX_PAGE_BYTES) continue;
        return { rawDocuments, nextPageToken: child.prefix.subarray(prefix.length).toString('base64') };
      }
      return { rawDocuments };
    };
    const query = parseQuery(request.parent, { from: [{ collectionId }] });
    const locks = inTransaction(request) ? this.engine.queryLock(query, encodedQuery('ListDocuments', request)) : [];
    return this.engine.read(request, locks, call, async (context) => {
      const page = this.engine.pageIn(context, readPage, ({ rawDocuments }) => fingerprintOf(rawDocuments));
      this.statistics.documentReads += page.rawDocuments.length;
      return page;
    });
  };

  listCollectionIds = async (
    request: { parent?: string; pageSize?: number; pageToken?: string } & Consistency,
    call: Call,
  ): Promise<object> => {
    const prefix = pathPrefix(parseParent(request.parent));
    const from = { prefix: Buffer.from(request.pageToken ?? '', 'base64'), after: Boolean(request.pageToken) };
    return this.engine.read(request, [], call, async ({ reader }) => {
      const collectionIds: string[] = [];
      this.statistics.documentReads++;
      for (const child of children(reader, prefix, from)) {
        collectionIds.push(...readSegments(child.prefix, prefix.length));
        if (collectionIds.length < (request.pageSize || MAX_PAGE_SIZE)) continue;
        return { collectionIds, nextPageToken: child.prefix.subarray(prefix.length).toString('base64') };
      }
      return { collectionIds };
    });
  };
}
