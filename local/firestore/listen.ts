import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Engine } from './engine';
import { invalidArgument, toStatus } from './errors';
import { documentKey, nameOf, parseDocumentName } from './names';
import type { ConjunctionPlan } from './plan';
import { isWithin, matches, parseQuery, type Query } from './query';
import { runQuery } from './scan';
import type { Change, Reader, StoredDocument } from './store';
import { type Micros, toTimestamp } from './time';
import { decodeDocument, type StructuredQuery } from './wire';

export interface ListenRequest {
  database?: string;
  addTarget?: {
    targetId?: number;
    query?: { parent?: string; structuredQuery?: StructuredQuery };
    documents?: { documents?: string[] };
    resumeToken?: Buffer;
  };
  removeTarget?: number;
}

type Watched = { query: Query; plans: ConjunctionPlan[] } | { keys: Map<string, Buffer> };

interface Target {
  watched: Watched;
  /** The documents that the client has: name and update time by key. */
  sent: Map<string, { name: string; updateTime: Micros }>;
  isStale: boolean;
}

/**
 * One stream of listeners. After a commit that affects a target, the stream reads the target's results again and sends
 * the differences. Commits that arrive in the meantime are combined into one refresh.
 */
export class ListenStream {
  private readonly targets = new Map<number, Target>();
  private readonly unsubscribe: () => void;
  private isSending = false;

  constructor(
    private readonly engine: Engine,
    private readonly call: ServerDuplexStream<ListenRequest, object>,
    private readonly onRead: (documents: number) => void,
  ) {
    this.unsubscribe = engine.onChanges((changes) => this.onChanges(changes));
  }

  receive(request: ListenRequest): void {
    if (request.addTarget) this.addTarget(request.addTarget);
    if (request.removeTarget) {
      this.targets.delete(request.removeTarget);
      this.send({ targetChange: { targetChangeType: 'REMOVE', targetIds: [request.removeTarget] } });
    }
  }

  close(): void {
    this.unsubscribe();
    this.targets.clear();
  }

  private addTarget(target: NonNullable<ListenRequest['addTarget']>): void {
    const id = target.targetId || 1;
    const targetIds = [id];
    try {
      const watched = this.watch(target);
      this.send({ targetChange: { targetChangeType: 'ADD', targetIds } });
      // No history is stored for listeners. A listener that resumes is reset and receives all documents again.
      if (target.resumeToken?.length) this.send({ targetChange: { targetChangeType: 'RESET', targetIds } });
      const added = { watched, sent: new Map(), isStale: false };
      this.targets.set(id, added);
      const reader = this.engine.store.snapshot();
      try {
        const readTime = this.engine.store.clock.readTime();
        this.sendDifferences(id, added, reader, readTime);
        const resumeToken = Buffer.from(String(readTime));
        this.send({
          targetChange: { targetChangeType: 'CURRENT', targetIds, resumeToken, readTime: toTimestamp(readTime) },
        });
        this.sendSnapshot(readTime);
      } finally {
        reader.close();
      }
    } catch (error) {
      this.targets.delete(id);
      const { code, details } = toStatus(error);
      this.send({ targetChange: { targetChangeType: 'REMOVE', targetIds, cause: { code, message: details } } });
    }
  }

  private watch(target: NonNullable<ListenRequest['addTarget']>): Watched {
    if (target.query) {
      const query = parseQuery(target.query.parent, target.query.structuredQuery);
      return { query, plans: this.engine.plan(query) };
    }
    if (!target.documents) throw invalidArgument('A listener needs a query or documents.');
    const paths = (target.documents.documents ?? []).map((name) => parseDocumentName(name));
    return { keys: new Map(paths.map((path) => [nameOf(path), documentKey(path)])) };
  }

  private onChanges(changes: Change[]): void {
    let isStale = false;
    for (const target of this.targets.values()) {
      target.isStale ||= changes.some((change) => touches(target.watched, change));
      isStale ||= target.isStale;
    }
    if (!isStale || this.isSending) return;
    this.isSending = true;
    setImmediate(() => this.refresh());
  }

  private refresh(): void {
    this.isSending = false;
    if (this.targets.size === 0) return;
    const reader = this.engine.store.snapshot();
    try {
      const readTime = this.engine.store.clock.readTime();
      for (const [id, target] of this.targets) {
        if (target.isStale) this.sendDifferences(id, target, reader, readTime);
        target.isStale = false;
      }
      this.sendSnapshot(readTime);
    } finally {
      reader.close();
    }
  }

  private sendDifferences(id: number, target: Target, reader: Reader, time: Micros): void {
    const readTime = toTimestamp(time);
    const removed = new Map(target.sent);
    for (const document of results(target.watched, reader)) {
      const key = document.key.toString('latin1');
      removed.delete(key);
      const { updateTime } = document;
      if (target.sent.get(key)?.updateTime === updateTime) continue;
      this.onRead(1);
      target.sent.set(key, { name: document.name, updateTime });
      this.send({ documentChange: { document: decodeDocument(document.encoded), targetIds: [id] } });
    }
    for (const [key, { name }] of removed) {
      target.sent.delete(key);
      const removal = { document: name, removedTargetIds: [id], readTime };
      const exists = reader.document(Buffer.from(key, 'latin1')) !== undefined;
      this.send(exists ? { documentRemove: removal } : { documentDelete: removal });
    }
  }

  /** Tells the client that its documents are in a consistent state. */
  private sendSnapshot(readTime: Micros): void {
    const resumeToken = Buffer.from(String(readTime));
    this.send({ targetChange: { targetChangeType: 'NO_CHANGE', resumeToken, readTime: toTimestamp(readTime) } });
  }

  private send(response: object): void {
    this.call.write(response);
  }
}

function* results(watched: Watched, reader: Reader): Generator<StoredDocument> {
  if ('query' in watched) {
    for (const hit of runQuery(reader, watched.query, watched.plans)) yield hit.document;
    return;
  }
  for (const key of watched.keys.values()) {
    const document = reader.document(key);
    if (document) yield document;
  }
}

function touches(watched: Watched, { key, before, after }: Change): boolean {
  if ('keys' in watched) return [...watched.keys.values()].some((each) => each.equals(key));
  const { query } = watched;
  return [before, after].some((each) => each && isWithin(query, key, each.segments) && matches(query, each));
}
