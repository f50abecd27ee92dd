import { inverted } from './bytes';
import { invalidArgument } from './errors';
import { formatFieldPath, getField } from './field-path';
import {
  groupIndex,
  type Index,
  type IndexField,
  type IndexSet,
  indexSpace,
  type Mode,
  type Scope,
  singleField,
} from './indexes';
import { segmentEnd } from './names';
import { encodeIndexed } from './values';
import type { Fields, Value } from './wire';

/** An entry of the index table. `key` contains the values, then, from `offset` on, the document's key. */
export interface Entry {
  key: Buffer;
  offset: number;
}

/** A field of the documents of a collection, with its single-field indexes. */
interface IndexedField {
  /** The indexes of the value. The cloud also stores a descending index: `stored` is the number of its indexes. */
  values: { index: Index; stored: number }[];
  /** The indexes of the elements of an array. */
  elements: Index[];
  /** Whether a document had an array in this field. */
  hadArray: boolean;
  /** The fields of a map. Undefined when none of them has an index. */
  within: FieldTree | undefined;
}

const MAX_ENTRIES = 40_000;
const MAX_INDEX_KEY_BYTES = 4026;
/** Documents may have maps with ids as keys. A tree with more fields than this is made anew. */
const MAX_FIELDS = 20_000;
const nothing = Buffer.alloc(0);
const scopes: Scope[] = ['COLLECTION', 'COLLECTION_GROUP'];

/** The fields that documents of a collection have, below the field `names`. */
class FieldTree {
  private readonly fields = new Map<string, IndexedField>();

  constructor(
    private readonly indexes: IndexSet,
    private readonly collectionId: string,
    private readonly names: string[],
  ) {}

  field(name: string): IndexedField {
    let field = this.fields.get(name);
    if (!field) {
      if (this.fields.size >= MAX_FIELDS) this.fields.clear();
      field = this.settingsOf([...this.names, name]);
      this.fields.set(name, field);
    }
    return field;
  }

  /** The single-field indexes with an entry of a document. */
  writtenIndexes(): Index[] {
    return [...this.fields.values()].flatMap(({ values, elements, hadArray, within }) => [
      ...values.map(({ index }) => index),
      ...(hadArray ? elements : []),
      ...(within?.writtenIndexes() ?? []),
    ]);
  }

  private settingsOf(names: string[]): IndexedField {
    const { indexes, collectionId } = this;
    const path = formatFieldPath(names);
    const found: IndexedField = { values: [], elements: [], hadArray: false, within: undefined };
    for (const scope of scopes) {
      const modes = indexes.modesOf(collectionId, scope, names);
      const stored = Number(modes.has('ASCENDING')) + Number(modes.has('DESCENDING'));
      const indexOf = (mode: 'ASCENDING' | 'CONTAINS') => singleField(collectionId, scope, { path, names }, mode);
      if (stored > 0) found.values.push({ index: indexOf('ASCENDING'), stored });
      if (modes.has('CONTAINS')) found.elements.push(indexOf('CONTAINS'));
    }
    const isIndexed = found.values.length + found.elements.length > 0;
    if (isIndexed || indexes.hasIndexWithin(collectionId, names)) {
      found.within = new FieldTree(indexes, collectionId, names);
    }
    return found;
  }
}

/** The fields of all documents, for each set of indexes and each collection. */
const trees = new WeakMap<IndexSet, Map<string, FieldTree>>();

function treeOf(indexes: IndexSet, collectionId: string): FieldTree {
  let ofCollections = trees.get(indexes);
  if (!ofCollections) trees.set(indexes, (ofCollections = new Map<string, FieldTree>()));
  let tree = ofCollections.get(collectionId);
  if (!tree) ofCollections.set(collectionId, (tree = new FieldTree(indexes, collectionId, [])));
  return tree;
}

/**
 * The composite indexes, and the single-field indexes of written fields, that no query has used since the start. Fields
 * of a tree that was made anew are missing until they are written again.
 */
export function unusedIndexes(indexes: IndexSet): Index[] {
  const ofCollections = [...(trees.get(indexes)?.values() ?? [])];
  return indexes.unusedOf(ofCollections.flatMap((tree) => tree.writtenIndexes()));
}

/**
 * Every index entry of a document. Throws INVALID_ARGUMENT when the document has more than the 40 000 entries that the
 * cloud allows, or an entry that is too long for the index table.
 */
export const entriesOf = (indexes: IndexSet, key: Buffer, segments: string[], fields: Fields): Entry[] =>
  new EntryWriter(indexes, key, segments).write(fields);

class EntryWriter {
  private readonly entries: Entry[] = [];
  private readonly collectionId: string;
  private readonly collectionPrefix: Buffer;
  private readonly root: Buffer;
  /** The encoded values of the fields of composite indexes. Several indexes have the same field. */
  private readonly encoded = new Map<string, Buffer[]>();
  /** The number of entries as the cloud counts them: the cloud stores a descending index too. */
  private counted = 0;

  constructor(
    private readonly indexes: IndexSet,
    private readonly key: Buffer,
    segments: string[],
  ) {
    this.collectionId = segments.at(-2)!;
    this.root = key.subarray(0, 8);
    this.collectionPrefix = key.subarray(0, lastSegmentStart(key));
  }

  write(fields: Fields): Entry[] {
    this.add(groupIndex(this.collectionId), []);
    this.addFields(fields, treeOf(this.indexes, this.collectionId));
    for (const scope of scopes) {
      for (const index of this.indexes.compositesOf(this.collectionId, scope)) this.addComposite(index, fields);
    }
    return this.entries;
  }

  private addFields(fields: Fields, tree: FieldTree): void {
    for (const name in fields) {
      const value = fields[name]!;
      const field = tree.field(name);
      this.addSingle(field, value);
      const nested = field.within && value.mapValue?.fields;
      if (nested && nested.__type__ === undefined) this.addFields(nested, field.within!);
    }
  }

  private addSingle(field: IndexedField, value: Value): void {
    for (const { index, stored } of field.values) {
      this.add(index, [[encodeIndexed(value)]]);
      this.counted += value.arrayValue ? 1 : stored;
    }
    if (value.arrayValue) field.hadArray = true;
    for (const index of value.arrayValue ? field.elements : []) this.counted += this.add(index, [distinct(value)]);
    if (this.counted > MAX_ENTRIES) throw invalidArgument('too many index entries for entity');
  }

  private addComposite(index: Index, fields: Fields): void {
    const values: Buffer[][] = [];
    for (const field of index.fields) {
      const encoded = this.valuesOf(field, fields);
      if (encoded.length === 0) return;
      values.push(encoded);
    }
    this.counted += this.add(index, values);
  }

  /** The encoded values of a field in a composite index: none when the document has no entry in the index. */
  private valuesOf({ field, mode }: IndexField, fields: Fields): Buffer[] {
    const id = `${mode} ${field.path}`;
    let values = this.encoded.get(id);
    if (!values) {
      const value = getField(fields, field.names);
      values = value ? encodedFor(mode, value) : [];
      this.encoded.set(id, values);
    }
    return values;
  }

  /** Adds an entry for each combination of a value of each field. Returns the number of entries. */
  private add(index: Index, [first = [nothing], ...others]: Buffer[][]): number {
    const isGroup = index.scope === 'COLLECTION_GROUP';
    const name = this.key.subarray(isGroup ? this.root.length : this.collectionPrefix.length);
    const { start, afterFirst } = indexSpace(index, isGroup ? this.root : this.collectionPrefix);
    let ends = [index.nameDescending ? inverted(name) : name];
    for (const values of others.reverse()) {
      ends = values.flatMap((value) => ends.map((end) => Buffer.concat([value, end])));
    }
    ends = ends.map((end) => Buffer.concat([afterFirst, end]));
    for (const value of first) {
      for (const end of ends) this.addKey(Buffer.concat([start, value, end]), name.length);
    }
    return first.length * ends.length;
  }

  private addKey(key: Buffer, nameLength: number): void {
    if (key.length > MAX_INDEX_KEY_BYTES) {
      throw invalidArgument(`An index entry of the document is too large (${key.length} bytes).`);
    }
    this.entries.push({ key, offset: key.length - nameLength });
  }
}

function encodedFor(mode: Mode, value: Value): Buffer[] {
  if (mode === 'CONTAINS') return value.arrayValue ? distinct(value) : [];
  const encoded = encodeIndexed(value);
  return [mode === 'DESCENDING' ? inverted(encoded) : encoded];
}

function distinct(array: Value): Buffer[] {
  const elements = (array.arrayValue?.values ?? []).map(encodeIndexed);
  return [...new Map(elements.map((element) => [element.toString('latin1'), element])).values()];
}

/** The offset of the document's id in its key. */
function lastSegmentStart(key: Buffer): number {
  let start = 8;
  for (let end = segmentEnd(key, start); end < key.length - 1; end = segmentEnd(key, start)) start = end;
  return start;
}
