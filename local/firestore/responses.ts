import { maskFields, parseFieldPath } from './field-path';
import type { StoredDocument } from './store';
import { decodeDocument, encodeDocument } from './wire';

/** The statistics of a server: the number of calls for each RPC, and the billed reads and writes of documents. */
export interface Statistics {
  calls: Record<string, number>;
  documentReads: number;
  documentWrites: number;
}

/** The fields of documents that a caller wants. */
export interface Mask {
  fieldPaths?: string[];
}

/** A document for a response: all of it, or the fields that `paths` selects. */
export function project(document: StoredDocument, paths: string[][] | undefined): Buffer {
  if (!paths) return document.encoded;
  const { name, createTime, updateTime } = decodeDocument(document.encoded);
  return encodeDocument({
    name,
    fields: maskFields(document.fields, paths),
    ...(createTime ? { createTime } : {}),
    ...(updateTime ? { updateTime } : {}),
  });
}

/** The field paths of a mask. Throws INVALID_ARGUMENT. */
export const maskOf = (mask: Mask | undefined) => mask && (mask.fieldPaths ?? []).map(parseFieldPath);
