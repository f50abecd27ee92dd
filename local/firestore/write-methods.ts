import type { Call } from './connections';
import type { Engine } from './engine';
import { invalidArgument, toStatus } from './errors';
import {
  documentKey,
  nameOf,
  parseCollectionId,
  parseDatabase,
  parseDocumentName,
  parseParent,
  splitName,
} from './names';
import { type Mask, maskOf, project, type Statistics } from './responses';
import { toTimestamp } from './time';
import { decodeDocument, type Document, type Precondition, type Write, type WriteResult } from './wire';
import { parseWrites } from './writes';

/** The methods that write. */
export class WriteMethods {
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
