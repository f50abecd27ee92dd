import { createHash } from 'node:crypto';
import { inverted } from './bytes';
import { invalidArgument } from './errors';
import { formatFieldPath, getField, parseFieldPath } from './field-path';
import { segmentEnd } from './names';
import { type Field, parseField } from './query';
import { encodeIndexed } from './values';
import type { Fields, Value } from './wire';

type Scope = 'COLLECTION' | 'COLLECTION_GROUP';

/** The contents of firestore.indexes.json. */
export interface IndexFile {
  indexes?: {
    collectionGroup: string;
    queryScope?: string;
    fields: { fieldPath: string; order?: string; arrayConfig?: string }[];
  }[];
  fieldOverrides?: {
    collectionGroup: string;
    fieldPath: string;
    ttl?: boolean;
    indexes?: { order?: string; arrayConfig?: string; queryScope?: string }[];
  }[];
}

export type Mode = 'ASCENDING' | 'DESCENDING' | 'CONTAINS';

export interface IndexField {
  field: Field;
  mode: Mode;
}

/** An index over the documents of one collection, or of all collections with one id. */
export interface Index {
  collectionId: string;
  scope: Scope;
  fields: IndexField[];
  /** The direction in which documents with equal fields are sorted by name. */
  nameDescending: boolean;
}

/** The single-field indexes of a field in one scope. */
export type FieldModes = ReadonlySet<Mode>;

/** An entry of the index table. `key` contains the values, then, from `offset` on, the document's key. */
export interface Entry {
  key: Buffer;
  offset: number;
}

const allModes: FieldModes = new Set<Mode>(['ASCENDING', 'DESCENDING', 'CONTAINS']);
const noModes: FieldModes = new Set<Mode>();
const MAX_ENTRIES = 40_000;
const MAX_INDEX_KEY_BYTES = 4026;
const spaces = new Map<string, Buffer>();

/** The eight-byte prefix of all keys of an index. `owner` is the prefix of the collection or of the database. */
export function indexSpace(index: Index, owner: Buffer): Buffer {
  const fields = index.fields.map(({ field, mode }) => `${mode} ${field.path}`).join();
  const label = `${index.scope}\n${index.collectionId}\n${fields}\n${index.nameDescending}\n${owner.toString('latin1')}`;
  let space = spaces.get(label);
  if (!space) {
    if (spaces.size > 20_000) spaces.clear();
    space = createHash('sha256').update(label).digest().subarray(0, 8);
    spaces.set(label, space);
  }
  return space;
}

export const singleField = (collectionId: string, scope: Scope, field: Field, mode: Mode): Index => ({
  collectionId,
  scope,
  // A descending query reads the ascending index backwards, so only the ascending index is stored.
  fields: [{ field, mode: mode === 'DESCENDING' ? 'ASCENDING' : mode }],
  nameDescending: false,
});

/** `decks: owner ASCENDING, createdAt DESCENDING` */
export const describeIndex = ({ collectionId, fields }: Index): string =>
  `${collectionId}: ${fields.map(({ field, mode }) => `${field.path} ${mode}`).join(', ')}`;

/** The index that lists all documents of a collection group by name. */
export const groupIndex = (collectionId: string): Index => ({
  collectionId,
  scope: 'COLLECTION_GROUP',
  fields: [],
  nameDescending: false,
});

/**
 * The indexes of a database: the listed composite indexes, and the default single-field indexes with their exemptions.
 */
export class IndexSet {
  private readonly composites = new Map<string, Index[]>();
  private readonly used = new Set<Index>();
  private readonly overrides = new Map<string, { names: string[]; modes: Record<Scope, FieldModes> }[]>();

  constructor(file: IndexFile) {
    for (const definition of file.indexes ?? []) {
      const index = parseIndex(definition);
      this.composites.set(index.collectionId, [...(this.composites.get(index.collectionId) ?? []), index]);
    }
    for (const { collectionGroup, fieldPath, indexes } of file.fieldOverrides ?? []) {
      // An override with a TTL policy only does not change indexes. This server does not delete expired documents.
      if (!indexes) continue;
      const modesIn = (scope: Scope) =>
        new Set(indexes.filter((each) => (each.queryScope ?? 'COLLECTION') === scope).map(modeOf));
      const modes = { COLLECTION: modesIn('COLLECTION'), COLLECTION_GROUP: modesIn('COLLECTION_GROUP') };
      const names = fieldPath === '*' ? [] : parseFieldPath(fieldPath);
      this.overrides.set(collectionGroup, [...(this.overrides.get(collectionGroup) ?? []), { names, modes }]);
    }
  }

  /** Records that a query uses an index. */
  noteUse(index: Index): void {
    this.used.add(index);
  }

  /** The composite indexes that no query has used so far. */
  unused(): Index[] {
    return [...this.composites.values()].flat().filter((index) => !this.used.has(index));
  }

  compositesOf(collectionId: string, scope: Scope): Index[] {
    return (this.composites.get(collectionId) ?? []).filter((index) => index.scope === scope);
  }

  /** The single-field indexes of a field. An override of a map applies to the fields within it. */
  modesOf(collectionId: string, scope: Scope, names: readonly string[]): FieldModes {
    let best: { names: string[]; modes: Record<Scope, FieldModes> } | undefined;
    for (const override of this.overrides.get(collectionId) ?? []) {
      const applies = override.names.every((name, i) => names[i] === name);
      if (applies && (!best || override.names.length > best.names.length)) best = override;
    }
    if (best) return best.modes[scope];
    return scope === 'COLLECTION' ? allModes : noModes;
  }

  /**
   * Every index entry of a document. Throws INVALID_ARGUMENT when the document has more than the 40 000 entries that
   * the cloud allows, or an entry that is too long for the index table.
   */
  entriesOf(key: Buffer, segments: string[], fields: Fields): Entry[] {
    return new EntryWriter(this, key, segments).write(fields);
  }
}

class EntryWriter {
  private readonly entries: Entry[] = [];
  private readonly collectionId: string;
  private readonly collectionPrefix: Buffer;
  private readonly root: Buffer;
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
    this.addFields(fields, []);
    for (const scope of ['COLLECTION', 'COLLECTION_GROUP'] as const) {
      for (const index of this.indexes.compositesOf(this.collectionId, scope)) this.addComposite(index, fields);
    }
    return this.entries;
  }

  private addFields(fields: Fields, within: string[]): void {
    for (const name in fields) {
      const value = fields[name]!;
      const names = [...within, name];
      const field = { path: formatFieldPath(names), names };
      this.addSingle(field, value);
      const nested = value.mapValue?.fields;
      if (nested && nested.__type__ === undefined) this.addFields(nested, names);
    }
  }

  private addSingle(field: Field, value: Value): void {
    for (const scope of ['COLLECTION', 'COLLECTION_GROUP'] as const) {
      const modes = this.indexes.modesOf(this.collectionId, scope, field.names);
      if (modes.has('ASCENDING') || modes.has('DESCENDING')) {
        this.add(singleField(this.collectionId, scope, field, 'ASCENDING'), [encodeIndexed(value)]);
        this.counted += modes.has('ASCENDING') && modes.has('DESCENDING') && !value.arrayValue ? 2 : 1;
      }
      if (modes.has('CONTAINS') && value.arrayValue) {
        const index = singleField(this.collectionId, scope, field, 'CONTAINS');
        for (const element of distinct(value)) this.add(index, [element]);
        this.counted += distinct(value).length;
      }
    }
    if (this.counted > MAX_ENTRIES) throw invalidArgument('too many index entries for entity');
  }

  private addComposite(index: Index, fields: Fields): void {
    let combinations: Buffer[][] = [[]];
    for (const { field, mode } of index.fields) {
      const value = getField(fields, field.names);
      if (!value || (mode === 'CONTAINS' && !value.arrayValue)) return;
      if (mode === 'CONTAINS') {
        combinations = combinations.flatMap((parts) => distinct(value).map((element) => [...parts, element]));
      } else {
        const encoded = encodeIndexed(value);
        for (const parts of combinations) parts.push(mode === 'DESCENDING' ? inverted(encoded) : encoded);
      }
    }
    for (const parts of combinations) this.add(index, parts);
    this.counted += combinations.length;
  }

  private add(index: Index, parts: Buffer[]): void {
    const isGroup = index.scope === 'COLLECTION_GROUP';
    const name = this.key.subarray(isGroup ? this.root.length : this.collectionPrefix.length);
    const space = indexSpace(index, isGroup ? this.root : this.collectionPrefix);
    const key = Buffer.concat([space, ...parts, index.nameDescending ? inverted(name) : name]);
    if (key.length > MAX_INDEX_KEY_BYTES) {
      throw invalidArgument(`An index entry of the document is too large (${key.length} bytes).`);
    }
    this.entries.push({ key, offset: key.length - name.length });
  }
}

function distinct(array: Value): Buffer[] {
  const elements = (array.arrayValue?.values ?? []).map(encodeIndexed);
  return [...new Map(elements.map((element) => [element.toString('latin1'), element])).values()];
}

/** The offset of the document's id in its key. */
export function lastSegmentStart(key: Buffer): number {
  let start = 8;
  for (let end = segmentEnd(key, start); end < key.length - 1; end = segmentEnd(key, start)) start = end;
  return start;
}

const modeOf = ({ order, arrayConfig }: { order?: string; arrayConfig?: string }): Mode =>
  arrayConfig === 'CONTAINS' ? 'CONTAINS' : order === 'DESCENDING' ? 'DESCENDING' : 'ASCENDING';

function parseIndex(definition: NonNullable<IndexFile['indexes']>[number]): Index {
  const all = definition.fields.map((field) => ({ field: parseField(field.fieldPath), mode: modeOf(field) }));
  const name = all.find(({ field }) => field.path === '__name__');
  const fields = all.filter((each) => each !== name);
  return {
    collectionId: definition.collectionGroup,
    scope: definition.queryScope === 'COLLECTION_GROUP' ? 'COLLECTION_GROUP' : 'COLLECTION',
    fields,
    nameDescending: (name ?? fields.at(-1))?.mode === 'DESCENDING',
  };
}
