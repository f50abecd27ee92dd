import type {
  AggregateField,
  AggregateQuery,
  AggregateQuerySnapshot,
  DocumentData,
  DocumentReference,
  PartialWithFieldValue,
  Query,
  QuerySnapshot,
  Transaction as SdkTransaction,
  UpdateData,
  WithFieldValue,
} from 'firebase-admin/firestore';
import { documentOf, type Ref } from './collections';

/** A document: ours, or one that a query found. */
type AnyRef<T> = Ref<T> | DocumentReference<T>;

/** A transaction of the Admin SDK. It takes our references and counts its writes. */
export class Transaction {
  writes = 0;

  constructor(private readonly sdk: SdkTransaction) {}

  /** What the query finds. The transaction locks it. */
  get<T>(query: Query<T>): Promise<QuerySnapshot<T>>;
  get<T extends Record<string, AggregateField<unknown>>>(query: AggregateQuery<T>): Promise<AggregateQuerySnapshot<T>>;
  get(query: Query | AggregateQuery<Record<string, AggregateField<unknown>>>): Promise<unknown> {
    return this.sdk.get(query as Query);
  }

  /**
   * The records of the documents, undefined for those that do not exist. The transaction locks them. One round trip.
   */
  async read<T>(refs: readonly Ref<T>[]): Promise<(T | undefined)[]> {
    if (refs.length === 0) return [];
    const found = await this.sdk.getAll(...refs.map((ref) => documentOf(ref)));
    return found.map((document) => document.data());
  }

  /** Writes a document that does not exist. The commit fails with ALREADY_EXISTS when it does. */
  create<T>(ref: AnyRef<T>, record: WithFieldValue<T>): void {
    this.write().create(own(ref), record);
  }

  /** Writes a document, or with `merge` only the given fields of it. */
  set<T>(ref: AnyRef<T>, record: WithFieldValue<T>): void;
  set<T>(ref: AnyRef<T>, record: PartialWithFieldValue<T>, options: { merge: true }): void;
  set<T>(ref: AnyRef<T>, record: PartialWithFieldValue<T>, options: { merge?: true } = {}): void {
    this.write().set(own(ref), record, options);
  }

  /** Writes fields of a document. The commit fails with NOT_FOUND when it does not exist. */
  update<T>(ref: AnyRef<T>, changes: UpdateData<T>): void {
    this.write().update(own(ref) as DocumentReference, changes as UpdateData<DocumentData>);
  }

  delete(ref: AnyRef<unknown>): void {
    this.write().delete(own(ref));
  }

  private write(): SdkTransaction {
    this.writes++;
    return this.sdk;
  }
}

const own = <T>(ref: AnyRef<T>): DocumentReference<T> => ('parse' in ref ? documentOf(ref) : ref);
