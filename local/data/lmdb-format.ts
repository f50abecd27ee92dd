import { DamagedData } from './errors';

/** A tree of pages: the free list, the list of tables, or a table. */
export interface Tree {
  name: string;
  kind: 'free' | 'main' | 'named';
  depth: number;
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
  root: number;
}

/** What the header pages of a file say. */
export interface FileHeader {
  pageBytes: number;
  free: Tree;
  main: Tree;
  lastPage: number;
  /** The number of the last transaction. */
  transaction: number;
}

export const PAGE_HEADER_BYTES = 24;
export const NODE_HEADER_BYTES = 8;
export const TREE_BYTES = 48;
export const NO_PAGE = Number(0xffffffffffffffffn);
export const pageTypes = { branch: 1, leaf: 2, overflow: 4, header: 8 };
export const nodeFlags = { big: 1, tree: 2 };

const MAGIC = 0xbeefc0de;
const FILE_VERSION = 2;
const HEADER_BYTES = 168;
/** The only flag of the free list: its keys are integers. */
const FREE_LIST_FLAGS = 8;

/**
 * Reads the two header pages and returns what the newer one says. `read` returns fewer bytes at the end of the file.
 * Throws DamagedData with a sentence about `file`.
 */
export function readFileHeader(
  file: string,
  fileBytes: number,
  read: (position: number, length: number) => Buffer,
): FileHeader {
  if (fileBytes === 0) throw new DamagedData(`The data file ${file} is empty.`);
  const first = read(0, HEADER_BYTES);
  if (first.every((byte) => byte === 0)) throw new DamagedData(`The data file ${file} contains only zeros.`);
  if (first.length < HEADER_BYTES || first.readUInt32LE(24) !== MAGIC) {
    throw new DamagedData(`The data file ${file} is damaged, or another program wrote it.`);
  }
  const version = first.readUInt32LE(28);
  if (version !== FILE_VERSION) {
    throw new DamagedData(`The data file ${file} is damaged, or another version of LMDB wrote it (${version}).`);
  }
  const pageBytes = first.readUInt32LE(48);
  if (pageBytes < 512 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0) {
    throw new DamagedData(`The data file ${file} is damaged: its page size is ${pageBytes}.`);
  }
  const second = read(pageBytes, HEADER_BYTES);
  if (second.length < HEADER_BYTES) throw new DamagedData(`The data file ${file} is cut off.`);
  const [a, b] = [parseHeader(first), parseHeader(second)];
  const newer = a.transaction >= b.transaction ? a : b;
  // A file may be shorter than its header says: free pages at its end are not always written.
  const isPossible = newer.lastPage >= 1 && newer.lastPage * pageBytes <= 1000 * fileBytes + 2 ** 30;
  if (!isConsistent(first, second, a, b) || !isPossible) {
    throw new DamagedData(`The data file ${file} is damaged: its header pages contradict each other.`);
  }
  return newer;
}

function isConsistent(first: Buffer, second: Buffer, a: FileHeader, b: FileHeader): boolean {
  const areHeaders = [first, second].every(
    (bytes, number) =>
      readNumber(bytes, 0) === number &&
      bytes.readUInt16LE(18) === pageTypes.header &&
      bytes.readUInt16LE(52) === FREE_LIST_FLAGS,
  );
  // The fields that no transaction changes: the magic number, the version and the page size.
  const areEqual = [24, 28, 48].every((at) => first.readUInt32LE(at) === second.readUInt32LE(at));
  // Each transaction replaces one of the two pages: an even number the first page, an odd number the second.
  const isNew = a.transaction === 0 && b.transaction === 0;
  const isPair = Math.abs(a.transaction - b.transaction) === 1 && a.transaction % 2 === 0;
  return areHeaders && areEqual && (isNew || isPair);
}

function parseHeader(bytes: Buffer): FileHeader {
  return {
    pageBytes: bytes.readUInt32LE(48),
    free: parseTree(bytes, 48, 'the free list', 'free'),
    main: parseTree(bytes, 48 + TREE_BYTES, 'the list of tables', 'main'),
    lastPage: readNumber(bytes, 144),
    transaction: readNumber(bytes, 152),
  };
}

export function parseTree(bytes: Buffer, at: number, name: string, kind: Tree['kind']): Tree {
  const number = (offset: number) => readNumber(bytes, at + offset);
  return {
    ...{ name, kind, depth: bytes.readUInt16LE(at + 6) },
    ...{ branchPages: number(8), leafPages: number(16), overflowPages: number(24) },
    ...{ entries: number(32), root: number(40) },
  };
}

/** A 64-bit number. Numbers above 2^53 are inexact, and larger than every valid number. */
export const readNumber = (bytes: Buffer, at: number) => bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;

export const countOf = (page: Buffer) => page.readUInt16LE(20) / 2;
export const nodeAt = (page: Buffer, i: number) => PAGE_HEADER_BYTES + page.readUInt16LE(PAGE_HEADER_BYTES + 2 * i);
export const sizeAt = (page: Buffer, at: number) => page.readUInt32LE(at);

/** The bytes of a value within its page. */
export const dataBytes = (page: Buffer, at: number) =>
  page.readUInt16LE(at + 4) & nodeFlags.big ? PAGE_HEADER_BYTES : sizeAt(page, at);

export function keyAt(page: Buffer, i: number): Buffer {
  const at = nodeAt(page, i);
  const from = at + NODE_HEADER_BYTES;
  return page.subarray(from, from + page.readUInt16LE(at + 6));
}

/** The child of a branch node: 48 bits. */
export function childAt(page: Buffer, i: number): number {
  const at = nodeAt(page, i);
  return page.readUInt32LE(at) + page.readUInt16LE(at + 4) * 2 ** 32;
}
