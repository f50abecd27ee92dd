import { isDeepStrictEqual } from 'node:util';
import { alreadyExists, failedPrecondition, invalidArgument, notFound } from './errors';
import { checkUnreserved, formatFieldPath, getField, parseFieldPath, withField } from './field-path';
import type { Entry } from './index-entries';
import { checkDocument } from './limits';
import { documentKey, nameOf, parseDocumentName, type Path } from './names';
import { type Change, type Reader, type Store, StoredDocument } from './store';
import { fromTimestamp, type Micros, toTimestamp } from './time';
import { applyTransform } from './transforms';
import { isNumber } from './values';
import type { FieldTransform, Fields, Precondition, Value, Write, WriteResult } from './wire';

const MAX_TRANSFORMS = 500;

/** A write whose syntax is checked, with the key of its document and its transforms. */
export interface ParsedWrite {
  path: Path;
  key: Buffer;
  write: Write;
  transforms: FieldTransform[];
}

/** The changes and the results of a commit, computed before the first write. */
export interface PreparedCommit {
  changes: { change: Change; entries: Entry[] }[];
  results: WriteResult[];
}

/** Checks the syntax of one write. Throws INVALID_ARGUMENT. */
function parseWrite(write: Write, root: string): ParsedWrite {
  const name = write.update?.name ?? write.delete ?? write.transform?.document;
  const path = parseDocumentName(name, root);
  const transforms = [...(write.updateTransforms ?? []), ...(write.transform?.fieldTransforms ?? [])];
  for (const transform of transforms) checkUnreserved(parseFieldPath(transform.fieldPath));
  for (const fieldPath of write.updateMask?.fieldPaths ?? []) checkUnreserved(parseFieldPath(fieldPath));
  if (write.transform && transforms.length === 0) {
    throw invalidArgument('The list of FieldTransform must not be empty.');
  }
  checkTransforms(transforms);
  return { path, key: documentKey(path), write, transforms };
}

function checkTransforms(transforms: FieldTransform[]): void {
  if (transforms.some(({ setToServerValue }) => setToServerValue === 'SERVER_VALUE_UNSPECIFIED')) {
    throw invalidArgument('ServerValue type must be specified for set_to_server_value transformation.');
  }
  for (const { increment, maximum, minimum } of transforms) {
    const operand = increment ?? maximum ?? minimum;
    if (operand && !isNumber(operand)) throw invalidArgument('Input must be int64 or double.');
  }
  const paths = new Set(transforms.map(({ fieldPath }) => formatFieldPath(parseFieldPath(fieldPath))));
  for (const path of paths) {
    const names = parseFieldPath(path);
    const parent = names.map((_, i) => formatFieldPath(names.slice(0, i))).find((each) => paths.has(each));
    if (!parent) continue;
    throw invalidArgument(`Cannot transform property ${parent} and its nested property at the same time.`);
  }
}

/** Checks the writes of one commit. Throws INVALID_ARGUMENT. */
export function parseWrites(writes: Write[], root: string): ParsedWrite[] {
  const parsed = writes.map((write) => parseWrite(write, root));
  const transforms = parsed.reduce((count, each) => count + each.transforms.length, 0);
  if (transforms > MAX_TRANSFORMS) {
    throw invalidArgument(`A commit may have at most ${MAX_TRANSFORMS} field transforms (it has ${transforms}).`);
  }
  return parsed;
}

/** Computes a commit on the state of `reader`, without writing. Throws when a precondition fails. */
export function prepareCommit(store: Store, reader: Reader, writes: ParsedWrite[], time: Micros): PreparedCommit {
  const changes = new Map<string, Change>();
  const results = writes.map((write) => {
    const id = write.key.toString('latin1');
    const change = changes.get(id) ?? startChange(reader, write.key);
    const { after, result } = applyWrite(write, change.after, time);
    changes.set(id, { key: change.key, ...pick('before', change.before), ...pick('after', after) });
    return result;
  });
  const effective = [...changes.values()].filter((change) => change.before !== change.after);
  return { changes: effective.map((change) => ({ change, entries: store.entriesOf(change.after) })), results };
}

const pick = <K extends string, T>(key: K, value: T | undefined) => (value ? ({ [key]: value } as Record<K, T>) : {});

function startChange(reader: Reader, key: Buffer): Change {
  const document = reader.document(key);
  return { key, ...pick('before', document), ...pick('after', document) };
}

function applyWrite(
  { path, key, write, transforms }: ParsedWrite,
  current: StoredDocument | undefined,
  time: Micros,
): { after?: StoredDocument; result: WriteResult } {
  const name = nameOf(path);
  checkPrecondition(write.currentDocument, current, name);
  if (write.delete !== undefined) return { result: {} };
  let fields = write.update ? updatedFields(write, current) : (current?.fields ?? {});
  const transformResults: Value[] = [];
  for (const transform of transforms) {
    const names = parseFieldPath(transform.fieldPath);
    const { value, result } = applyTransform(transform, getField(fields, names), time);
    fields = withField(fields, names, value);
    transformResults.push(result);
  }
  fields = checkDocument(path, fields);
  // A write that does not change the document keeps and returns its update time.
  const same = current && isDeepStrictEqual(checkDocument(path, current.fields), fields);
  const after = same ? current : StoredDocument.create(key, name, fields, current?.createTime ?? time, time);
  return { after, result: { updateTime: toTimestamp(after.updateTime), transformResults } };
}

function updatedFields(write: Write, current: StoredDocument | undefined): Fields {
  const given = write.update!.fields ?? {};
  if (!write.updateMask) return given;
  let fields = current?.fields ?? {};
  for (const fieldPath of write.updateMask.fieldPaths ?? []) {
    const names = parseFieldPath(fieldPath);
    fields = withField(fields, names, getField(given, names));
  }
  return fields;
}

function checkPrecondition(
  condition: Precondition | undefined,
  current: StoredDocument | undefined,
  name: string,
): void {
  if (condition?.exists === true && !current) {
    throw notFound(`No document to update: ${name}`);
  }
  if (condition?.exists === false && current) throw alreadyExists(`Document already exists: ${name}`);
  if (!condition?.updateTime) return;
  const required = fromTimestamp(condition.updateTime);
  const stored = current?.updateTime ?? 0;
  if (stored !== required) {
    throw failedPrecondition(`the stored version (${stored}) does not match the required base version (${required})`);
  }
}
