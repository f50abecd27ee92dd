import { parseAggregation } from './aggregate';
import type { Call } from './connections';
import type { Engine, ReadContext } from './engine';
import { invalidArgument, notFound, toStatus } from './errors';
import { maskFields, parseFieldPath } from './field-path';
import {
  documentKey,
  nameOf,
  parseCollectionId,
  parseDatabase,
  parseDocumentName,
  parseParent,
  pathPrefix,
  readSegments,
  splitName,
} from './names';
import { parseQuery } from './query';
import { children } from './scan';
import type { StoredDocument } from './store';
import { toTimestamp } from './time';
import {
  type AggregationProto,
  type Consistency,
  decodeDocument,
  type Document,
  encodeDocument,
  type Precondition,
  type RawDocuments,
  type StructuredQuery,
  type TransactionOptions,
  type Write,
  type WriteResult,
} from './wire';
import { parseWrites } from './writes';

/** The statistics of a server: the number of calls for each RPC, and the billed reads and writes of documents. */
export interface Statistics {
  calls: Record<string, number>;
  documentReads: number;
  documentWrites: number;
}

type Respond = (response: RawDocuments & Record<string, unknown>) => Promise<void>;

interface Mask {
  fieldPaths?: string[];
}

export interface Methods {
  unary: Record<string, (request: never, call: Call) => Promise<object>>;
  streaming: Record<string, (request: never, call: Call, respond: Respond) => Promise<void>>;
}

const MAX_PAGE_SIZE = 300;
const MAX_PAGE_BYTES = 3 * 2 ** 20;
/** After this many results the method yields to the event loop. */
const RESULTS_PER_TURN = 200;

/** The methods of `google.firestore.v1.Firestore`, without Listen. */
export function makeMethods(engine: Engine, statistics: Statistics): Methods {
  const reads = new ReadMethods(engine, statistics);
  const writes = new WriteMethods(engine, statistics);
  return {
    unary: {
      getDocument: reads.getDocument,
      listDocuments: reads.listDocuments,
      listCollectionIds: reads.listCollectionIds,
      beginTransaction: async (request: { database?: string; options?: TransactionOptions }) => {
        parseDatabase(request.database);
        return { transaction: engine.transactions.begin(request.options ?? { readWrite: {} }).id };
      },
      rollback: async ({ transaction }: { transaction?: Buffer }) => {
        const found = engine.transactions.find(transaction);
        if (found) engine.transactions.end(found);
        return {};
      },
      commit: writes.commit,
      batchWrite: writes.batchWrite,
      createDocument: writes.createDocument,
      updateDocument: writes.updateDocument,
      deleteDocument: writes.deleteDocument,
    },
    streaming: {
      batchGetDocuments: reads.batchGetDocuments,
      runQuery: reads.runQuery,
      runAggregationQuery: reads.runAggregationQuery,
    },
  };
}

/** A document for a response: all of it, or the fields that `paths` selects. */
function project(document: StoredDocument, paths: string[][] | undefined): Buffer {
  if (!paths) return document.encoded;
  const { name, createTime, updateTime } = decodeDocument(document.encoded);
  return encodeDocument({
    name,
    fields: maskFields(document.fields, paths),
    ...(createTime ? { createTime } : {}),
    ...(updateTime ? { updateTime } : {}),
  });
}

const maskOf = (mask: Mask | undefined) => mask && (mask.fieldPaths ?? []).map(parseFieldPath);
const newTransactionId = ({ transaction, isNew }: ReadContext) =>
  transaction && isNew ? { transaction: transaction.id } : {};
const yieldTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

class ReadMethods {
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
    const locks = inTransaction(request) ? this.engine.queryLock(query, request.structuredQuery) : [];
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
    const locks = inTransaction(request) ? this.engine.queryLock(aggregation.query, proto) : [];
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
    return this.engine.read(request, [], call, async ({ reader }) => {
      const rawDocuments: Buffer[] = [];
      let bytes = 0;
      for (const child of children(reader, prefix, from)) {
        if (!child.exists && !request.showMissing) continue;
        const document = child.exists ? reader.document(Buffer.concat([child.prefix, Buffer.of(0)]))! : undefined;
        const segments = document ? [] : readSegments(child.prefix, 8);
        const raw = document ? project(document, mask) : encodeDocument({ name: nameOf({ ...parent, segments }) });
        this.statistics.documentReads++;
        rawDocuments.push(raw);
        bytes += raw.length;
        if (rawDocuments.length < (request.pageSize || MAX_PAGE_SIZE) && bytes < MAX_PAGE_BYTES) continue;
        return { rawDocuments, nextPageToken: child.prefix.subarray(prefix.length).toString('base64') };
      }
      return { rawDocuments };
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

const inTransaction = ({ transaction, newTransaction }: Consistency) =>
  Boolean(transaction?.length) || newTransaction !== undefined;

class WriteMethods {
  constructor(
    private readonly engine: Engine,
    private readonly statistics: Statistics,
  ) {}

  commit = async (
    request: { database?: string; writes?: Write[]; transaction?: Buffer },
    call: Call,
  ): Promise<object> => {
    const writes = parseWrites(request.writes ?? [], parseDatabase(request.database));
    const { time, results } = await this.engine.commit(writes, request.transaction, call);
    this.statistics.documentWrites += writes.length;
    return { writeResults: results, commitTime: toTimestamp(time) };
  };

  /** Commits each write separately: a failed write does not affect the others. */
  batchWrite = async (request: { database?: string; writes?: Write[] }, call: Call): Promise<object> => {
    const root = parseDatabase(request.database);
    const given = request.writes ?? [];
    const names = given.map((write) => write.update?.name ?? write.delete ?? write.transform?.document);
    if (new Set(names).size !== names.length) {
      throw invalidArgument('Cannot write to the same document twice in one BatchWrite.');
    }
    // A malformed name fails the whole request, as in the cloud.
    const parsed = given.map((write) => parseWrites([write], root));
    const outcomes = await Promise.allSettled(parsed.map((writes) => this.engine.commit(writes, undefined, call)));
    this.statistics.documentWrites += outcomes.filter(({ status }) => status === 'fulfilled').length;
    return {
      writeResults: outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.results[0]! : {})),
      status: outcomes.map((outcome) => {
        if (outcome.status === 'fulfilled') return { code: 0 };
        const { code, details } = toStatus(outcome.reason);
        return { code, message: details };
      }),
    };
  };

  createDocument = async (
    request: { parent?: string; collectionId?: string; documentId?: string; document?: Document; mask?: Mask },
    call: Call,
  ): Promise<object> => {
    const parent = parseParent(request.parent);
    const id = request.documentId || crypto.randomUUID().replaceAll('-', '').slice(0, 20);
    const segments = [...parent.segments, parseCollectionId(request.collectionId ?? ''), id];
    const document = { ...request.document, name: nameOf({ ...parent, segments }) };
    return this.write({ update: document, currentDocument: { exists: false } }, request.mask, call);
  };

  updateDocument = async (
    request: { document?: Document; updateMask?: Mask; mask?: Mask; currentDocument?: Precondition },
    call: Call,
  ): Promise<object> => {
    const { document, updateMask, mask, currentDocument } = request;
    if (!document) throw invalidArgument('A document is required.');
    return this.write(
      { update: document, ...(updateMask ? { updateMask } : {}), ...(currentDocument ? { currentDocument } : {}) },
      mask,
      call,
    );
  };

  deleteDocument = async (request: { name?: string; currentDocument?: Precondition }, call: Call): Promise<object> => {
    const { name = '', currentDocument } = request;
    const root = splitName(name).root;
    await this.commit(
      { database: root, writes: [{ delete: name, ...(currentDocument ? { currentDocument } : {}) }] },
      call,
    );
    return {};
  };

  private async write(write: Write, mask: Mask | undefined, call: Call): Promise<object> {
    const path = parseDocumentName(write.update!.name);
    const { writeResults } = (await this.commit({ database: path.root, writes: [write] }, call)) as {
      writeResults: WriteResult[];
    };
    const document = this.engine.store.latest().document(documentKey(path));
    if (!document) return { name: nameOf(path), ...writeResults[0] };
    return decodeDocument(project(document, maskOf(mask)));
  }
}
