import { createHash } from 'node:crypto';
import { parseFieldPath } from './field-path';
import { type Field, parseField } from './query';

export type Scope = 'COLLECTION' | 'COLLECTION_GROUP';

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

const allModes: FieldModes = new Set<Mode>(['ASCENDING', 'DESCENDING', 'CONTAINS']);
const noModes: FieldModes = new Set<Mode>();
const labels = new WeakMap<Index, string>();

/** Equal for equal indexes, different for different ones. */
function labelOf(index: Index): string {
  let label = labels.get(index);
  if (label === undefined) {
    const fields = index.fields.map(({ field, mode }) => `${mode} ${field.path}`).join();
    label = `${index.scope}\n${index.collectionId}\n${fields}\n${index.nameDescending}\n`;
    labels.set(index, label);
  }
  return label;
}

/** The constant bytes in the keys of an index: the first bytes, and those after the first value. */
interface IndexSpace {
  start: Buffer;
  afterFirst: Buffer;
}

const spaces = new Map<string, IndexSpace>();
const nothing = Buffer.alloc(0);
const hashOf = (label: string, bytes: number) => createHash('sha256').update(label).digest().subarray(0, bytes);

/**
 * The constant bytes in the keys of an index. `owner` is the prefix of the collection or of the database. Indexes that
 * begin with the elements of one array differ after the element only: the entries of a rare element are then in one
 * page of the file, whatever their index is, and a commit writes one page for them.
 */
export function indexSpace(index: Index, owner: Buffer): IndexSpace {
  const label = labelOf(index);
  const id = label + owner.toString('latin1');
  let space = spaces.get(id);
  if (!space) {
    if (spaces.size > 20_000) spaces.clear();
    const [first] = index.fields;
    const ofElements = `${index.scope}\n${index.collectionId}\nelements of ${first?.field.path}\n`;
    space =
      first?.mode === 'CONTAINS'
        ? { start: hashOf(ofElements + owner.toString('latin1'), 8), afterFirst: hashOf(label, 4) }
        : { start: hashOf(id, 8), afterFirst: nothing };
    spaces.set(id, space);
  }
  return space;
}

/** The first bytes of the keys of an index, for the encoded values of its first fields. */
export function indexPrefix(index: Index, owner: Buffer, values: readonly Buffer[]): Buffer {
  const { start, afterFirst } = indexSpace(index, owner);
  const [first = nothing, ...rest] = values;
  return Buffer.concat([start, first, afterFirst, ...rest]);
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

const groupIndexes = new Map<string, Index>();

/** The index that lists all documents of a collection group by name. */
export function groupIndex(collectionId: string): Index {
  let index = groupIndexes.get(collectionId);
  if (!index) {
    index = { collectionId, scope: 'COLLECTION_GROUP', fields: [], nameDescending: false };
    if (groupIndexes.size > 1000) groupIndexes.clear();
    groupIndexes.set(collectionId, index);
  }
  return index;
}

/**
 * The indexes of a database: the listed composite indexes, and the default single-field indexes with their exemptions.
 */
export class IndexSet {
  private readonly composites = new Map<string, Index[]>();
  /** The labels of the indexes that queries have used. */
  private readonly used = new Set<string>();
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
    this.used.add(labelOf(index));
  }

  /** The composite indexes, and those of `written`, that no query has used since the start. */
  unusedOf(written: readonly Index[]): Index[] {
    return [...[...this.composites.values()].flat(), ...written].filter((index) => !this.used.has(labelOf(index)));
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

  /** Whether a field below these names has another setting than its parents, with an index. */
  hasIndexWithin(collectionId: string, names: readonly string[]): boolean {
    return (this.overrides.get(collectionId) ?? []).some(({ names: below, modes }) => {
      const isBelow = below.length > names.length && names.every((name, i) => below[i] === name);
      return isBelow && (modes.COLLECTION.size > 0 || modes.COLLECTION_GROUP.size > 0);
    });
  }
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
