import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { DamagedData } from './errors';
import { isIntact } from './sealed';

/** The result of `checkPages`. */
export interface PageReport {
  /** The pages in use, and how many of them were read. They differ when the budget ended. */
  pages: number;
  read: number;
  /** Sentences, at most ten. Empty when no damage was found. */
  damage: string[];
}

export interface CheckOptions {
  /** Leaf pages beyond this size are not read. Their number, their place and the pages above them are checked. */
  leafBudgetBytes?: number;
  /** Whether every value has a checksum. False for data that was written before values had one. */
  isSealed: boolean;
}

interface Tree {
  name: string;
  kind: 'free' | 'main' | 'named';
  depth: number;
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
  root: number;
}

interface Meta {
  flags: number[];
  trees: [Tree, Tree];
  lastPage: number;
  transaction: number;
}

const MAGIC = 0xbeefc0de;
const FILE_VERSION = 2;
const PAGE_HEADER_BYTES = 24;
const NODE_HEADER_BYTES = 8;
const TREE_BYTES = 48;
const META_BYTES = 168;
const NO_PAGE = Number(0xffffffffffffffffn);
const BRANCH = 1;
const LEAF = 2;
const OVERFLOW = 4;
const META = 8;
const MAX_DEPTH = 32;
const MAX_REPORTED = 10;
const nodeFlags = { big: 1, tree: 2 };
/** Integer keys, for the tree of free pages. */
const FREE_FLAGS = 8;

/**
 * Checks the file of an LMDB environment without LMDB, which crashes on a damaged file: the header pages, every page in
 * use, the order of the keys, the free list, and the checksum of every value. No process may write meanwhile. Throws
 * DamagedData when the file is not such a file.
 */
export function checkPages(file: string, options: CheckOptions): PageReport {
  const handle = openSync(file, 'r');
  try {
    return new PageCheck(file, handle, options).run();
  } finally {
    closeSync(handle);
  }
}

/** Ends the check: after too much damage the rest of the file is not worth reading. */
class Enough extends Error {}

class PageCheck {
  private readonly damage: string[] = [];
  private readonly fileBytes: number;
  private readonly buffers: Buffer[] = [];
  private pageBytes = 0;
  private meta!: Meta;
  /** One bit for each page: in use, and free. */
  private used!: Uint8Array;
  private free!: Uint8Array;
  private usedCount = 0;
  private readCount = 0;
  private leafBytesLeft: number;
  private readonly isSealed: boolean;

  constructor(
    private readonly file: string,
    private readonly handle: number,
    options: CheckOptions,
  ) {
    this.fileBytes = fstatSync(handle).size;
    this.leafBytesLeft = options.leafBudgetBytes ?? Infinity;
    this.isSealed = options.isSealed;
  }

  run(): PageReport {
    this.meta = this.readMetas();
    const { lastPage, trees } = this.meta;
    this.used = new Uint8Array(lastPage / 8 + 1);
    this.free = new Uint8Array(lastPage / 8 + 1);
    // The file may end before the last page when the last pages are free. A full check tells that from a loss.
    if (this.fileBytes < (lastPage + 1) * this.pageBytes) this.leafBytesLeft = Infinity;
    try {
      // The free list comes last: a page that is free and in use is then reported.
      this.checkTree(trees[1]);
      this.checkTree(trees[0]);
    } catch (error) {
      if (!(error instanceof Enough)) throw error;
    }
    return { pages: this.usedCount, read: this.readCount, damage: this.damage };
  }

  /** The newer of the two header pages. */
  private readMetas(): Meta {
    const { file, fileBytes } = this;
    if (fileBytes === 0) throw new DamagedData(`The data file ${file} is empty.`);
    const first = this.readAt(0, META_BYTES);
    if (first.every((byte) => byte === 0)) throw new DamagedData(`The data file ${file} contains only zeros.`);
    if (first.length < META_BYTES) throw new DamagedData(`The data file ${file} is cut off.`);
    if (first.readUInt32LE(24) !== MAGIC || first.readUInt16LE(18) !== META) {
      throw new DamagedData(`The file ${file} is damaged, or another program wrote it.`);
    }
    const version = first.readUInt32LE(28);
    if (version !== FILE_VERSION) {
      throw new DamagedData(`The data file ${file} is damaged, or its version is unknown (${version}).`);
    }
    const pageBytes = first.readUInt32LE(48);
    if (pageBytes < 512 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0) {
      throw new DamagedData(`The data file ${file} is damaged: its page size is ${pageBytes}.`);
    }
    this.pageBytes = pageBytes;
    const second = this.readAt(pageBytes, META_BYTES);
    if (second.length < META_BYTES) throw new DamagedData(`The data file ${file} is cut off.`);
    // The fields that no transaction changes.
    const isSame = [18, 24, 28, 48].every((at) => first.readUInt16LE(at) === second.readUInt16LE(at));
    const metas = [first, second].map((bytes) => this.parseMeta(bytes));
    const [a, b] = metas as [Meta, Meta];
    // Each transaction replaces one of the two header pages: its number says which one.
    const isFresh = a.transaction === 0 && b.transaction === 0;
    const isPair = Math.abs(a.transaction - b.transaction) === 1 && a.transaction % 2 === 0;
    const meta = a.transaction >= b.transaction ? a : b;
    const [free] = meta.flags;
    if (!isSame || !(isFresh || isPair) || readNumber(first, 0) !== 0 || free !== FREE_FLAGS) {
      throw new DamagedData(`The data file ${file} is damaged: its header pages contradict each other.`);
    }
    const isPossible = meta.lastPage >= 1 && meta.lastPage < 2 ** 40;
    // A file grows before its header names the new pages. Free pages at its end may be missing.
    if (!isPossible || meta.lastPage * pageBytes > 1000 * this.fileBytes + 2 ** 30) {
      throw new DamagedData(`The data file ${file} is damaged or cut off.`);
    }
    return meta;
  }

  private parseMeta(bytes: Buffer): Meta {
    return {
      flags: [bytes.readUInt16LE(52), bytes.readUInt16LE(52 + TREE_BYTES)],
      trees: [
        this.parseTree(bytes, 48, 'the free list', 'free'),
        this.parseTree(bytes, 48 + TREE_BYTES, 'the list of tables', 'main'),
      ],
      lastPage: readNumber(bytes, 144),
      transaction: readNumber(bytes, 152),
    };
  }

  private parseTree(bytes: Buffer, at: number, name: string, kind: Tree['kind']): Tree {
    const number = (offset: number) => readNumber(bytes, at + offset);
    return {
      ...{ name, kind, depth: bytes.readUInt16LE(at + 6) },
      ...{ branchPages: number(8), leafPages: number(16), overflowPages: number(24) },
      ...{ entries: number(32), root: number(40) },
    };
  }

  private checkTree(tree: Tree): void {
    if (tree.root === NO_PAGE) {
      if (tree.depth !== 0 || tree.entries !== 0) this.report(`${tree.name}: it is empty, but has a size`);
      return;
    }
    if (tree.depth < 1 || tree.depth > MAX_DEPTH) return this.report(`${tree.name}: its depth is ${tree.depth}`);
    const walk = new TreeWalk(this, tree);
    walk.visit(tree.root, tree.depth, undefined, undefined);
    walk.compareCounts();
    for (const named of walk.named) this.checkTree(named);
  }

  report(sentence: string): void {
    this.damage.push(`${this.file}: ${sentence}.`);
    if (this.damage.length >= MAX_REPORTED) throw new Enough();
  }

  /** Notes that a page is in use. Reports a page that is in use twice or that the file does not have. */
  claim(page: number, tree: Tree): boolean {
    if (!this.isInFile(page)) {
      this.report(`${tree.name}: page ${page} is missing`);
      return false;
    }
    if (hasBit(this.used, page)) {
      this.report(`${tree.name}: page ${page} is in use twice`);
      return false;
    }
    setBit(this.used, page);
    this.usedCount++;
    return true;
  }

  private isInFile(page: number): boolean {
    const isListed = page >= 2 && page <= this.meta.lastPage;
    return isListed && (page + 1) * this.pageBytes <= this.fileBytes;
  }

  /** Reads a page into the buffer of its depth. The buffer is used again for the next page of that depth. */
  readPage(page: number, depth: number): Buffer {
    const buffer = (this.buffers[depth] ??= Buffer.allocUnsafe(this.pageBytes));
    readSync(this.handle, buffer, 0, this.pageBytes, page * this.pageBytes);
    this.readCount++;
    return buffer;
  }

  readAt(position: number, length: number): Buffer {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(this.handle, buffer, 0, length, position));
  }

  /** Whether a leaf page may be read within the budget. */
  mayReadLeaf(tree: Tree): boolean {
    if (tree.kind !== 'named') return true;
    this.leafBytesLeft -= this.pageBytes;
    return this.leafBytesLeft >= 0;
  }

  /** The problem of a page's header, if any. */
  headerProblem(page: Buffer, number: number, flags: number): string | undefined {
    if (readNumber(page, 0) !== number) return 'it has the number of another page';
    const transaction = readNumber(page, 8);
    if (transaction < 1 || transaction > this.meta.transaction) return 'it is newer than the file';
    if (page.readUInt16LE(18) !== flags) return 'it has the wrong type';
    return undefined;
  }

  get transaction(): number {
    return this.meta.transaction;
  }

  get bytesOfPage(): number {
    return this.pageBytes;
  }

  /** Reads a value that does not fit into its page. Undefined when the pages of the value are damaged. */
  readOverflow(node: Buffer, size: number, tree: Tree): { value: Buffer; pages: number } | undefined {
    const [first, count] = [readNumber(node, 0), readNumber(node, 16)];
    const needed = Math.ceil((PAGE_HEADER_BYTES + size) / this.pageBytes);
    if (count !== needed) {
      this.report(`${tree.name}: a large value has the wrong size`);
      return undefined;
    }
    for (let i = 0; i < count; i++) if (!this.claim(first + i, tree)) return undefined;
    const bytes = this.readAt(first * this.pageBytes, PAGE_HEADER_BYTES + size);
    this.readCount += count;
    const problem = this.headerProblem(bytes, first, OVERFLOW);
    if (problem || bytes.readUInt32LE(20) !== count) {
      this.report(`${tree.name}: page ${first} is damaged: ${problem ?? 'it has the wrong length'}`);
      return undefined;
    }
    return { value: bytes.subarray(PAGE_HEADER_BYTES), pages: count };
  }

  /** Checks one record of a leaf. Returns the tree that a record of the main tree names. */
  checkRecord(tree: Tree, key: Buffer, value: Buffer, isTree: boolean): Tree | undefined {
    if (tree.kind === 'free') this.checkFreeList(key, value);
    else if (tree.kind === 'main') {
      const name = `the table "${key.toString('latin1').replaceAll('\0', '')}"`;
      if (isTree && value.length === TREE_BYTES) return this.parseTree(value, 0, name, 'named');
      this.report('the list of tables contains a record that is not a table');
    } else if (isTree || (this.isSealed && !isIntact(key, value))) {
      this.report(`${tree.name}: the checksum of the record ${printable(key)} does not match`);
    }
    return undefined;
  }

  /** A record of the free list: a count, then page numbers. A negative number gives the length of the next block. */
  private checkFreeList(key: Buffer, value: Buffer): void {
    const count = value.length >= 8 ? Number(value.readBigInt64LE(0)) : -1;
    if (key.length !== 8 || readNumber(key, 0) > this.meta.transaction || count < 0 || 8 * (count + 1) > value.length) {
      return this.report('the free list contains a record of the wrong size');
    }
    for (let i = 1; i <= count; i++) {
      let page = Number(value.readBigInt64LE(8 * i));
      if (page === 0) continue;
      let length = 1;
      if (page < 0) {
        length = -page;
        page = ++i <= count ? Number(value.readBigInt64LE(8 * i)) : -1;
      }
      if (page < 2 || page + length - 1 > this.meta.lastPage) {
        return this.report('the free list names a page that does not exist');
      }
      for (let each = page; each < page + length; each++) {
        if (hasBit(this.used, each) || hasBit(this.free, each)) {
          return this.report(`the free list names page ${each}, which is in use or named twice`);
        }
        setBit(this.free, each);
      }
    }
  }
}

/** The check of one tree. */
class TreeWalk {
  readonly named: Tree[] = [];
  private branchPages = 0;
  private leafPages = 0;
  private overflowPages = 0;
  private entries = 0;
  private isComplete = true;

  constructor(
    private readonly check: PageCheck,
    private readonly tree: Tree,
  ) {}

  /** Checks the page and everything below it. Its keys are at least `low` and below `high`. */
  visit(number: number, depth: number, low: Buffer | undefined, high: Buffer | undefined): void {
    const { check, tree } = this;
    if (!check.claim(number, tree)) {
      this.isComplete = false;
      return;
    }
    const isLeaf = depth === 1;
    if (isLeaf) this.leafPages++;
    else this.branchPages++;
    if (isLeaf && !check.mayReadLeaf(tree)) {
      this.isComplete = false;
      return;
    }
    const page = check.readPage(number, depth);
    const problem =
      check.headerProblem(page, number, isLeaf ? LEAF : BRANCH) ?? this.problemOf(page, isLeaf, low, high);
    const isRoot = number === tree.root;
    // Every transaction writes the root of the main tree. An older root is not the state of the last transaction.
    const isOld = tree.kind === 'main' && isRoot && readNumber(page, 8) !== check.transaction;
    if (problem !== undefined || isOld) {
      check.report(`${tree.name}: page ${number} is damaged: ${problem ?? 'it is older than the file'}`);
      this.isComplete = false;
      return;
    }
    if (isLeaf) this.visitLeaf(page);
    else this.visitBranch(page, depth, low, high);
  }

  private visitBranch(page: Buffer, depth: number, low: Buffer | undefined, high: Buffer | undefined): void {
    const count = countOf(page);
    for (let i = 0; i < count; i++) {
      const from = i === 0 ? low : Buffer.from(keyAt(page, i));
      const to = i + 1 < count ? Buffer.from(keyAt(page, i + 1)) : high;
      this.visit(childAt(page, i), depth - 1, from, to);
    }
  }

  private visitLeaf(page: Buffer): void {
    const count = countOf(page);
    this.entries += count;
    for (let i = 0; i < count; i++) {
      const at = nodeAt(page, i);
      const flags = page.readUInt16LE(at + 4);
      const from = at + NODE_HEADER_BYTES + page.readUInt16LE(at + 6);
      let value: Buffer | undefined = page.subarray(from, from + dataBytes(page, at));
      if (flags & nodeFlags.big) {
        const big = this.check.readOverflow(page.subarray(from, from + PAGE_HEADER_BYTES), sizeAt(page, at), this.tree);
        this.overflowPages += big?.pages ?? 0;
        value = big?.value;
      }
      if (!value) {
        this.isComplete = false;
        continue;
      }
      const named = this.check.checkRecord(this.tree, keyAt(page, i), value, (flags & nodeFlags.tree) !== 0);
      if (named) this.named.push(named);
    }
  }

  /** Checks the nodes of a page: they fill the page exactly, and their keys ascend within the page's range. */
  private problemOf(page: Buffer, isLeaf: boolean, low: Buffer | undefined, high: Buffer | undefined) {
    const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
    const space = this.check.bytesOfPage - PAGE_HEADER_BYTES;
    if (lower % 2 !== 0 || lower < 2 || lower > upper || upper > space) return 'its size is wrong';
    const count = lower / 2;
    let bytes = 0;
    let previous = low;
    for (let i = 0; i < count; i++) {
      const offset = page.readUInt16LE(PAGE_HEADER_BYTES + 2 * i);
      if (offset < upper || offset + NODE_HEADER_BYTES > space) return 'a record is outside of it';
      const at = PAGE_HEADER_BYTES + offset;
      const flags = page.readUInt16LE(at + 4);
      if (isLeaf && (flags & ~(nodeFlags.big | nodeFlags.tree)) !== 0) return 'a record has the wrong type';
      const size = NODE_HEADER_BYTES + page.readUInt16LE(at + 6) + (isLeaf ? dataBytes(page, at) : 0);
      if (offset + size > space) return 'a record is too long';
      bytes += size + (size % 2);
      // The first key of a branch page is not used.
      if (!isLeaf && i === 0) continue;
      const key = keyAt(page, i);
      const order = previous ? this.compare(previous, key) : -1;
      const isFirst = previous === low;
      if (order > 0 || (order === 0 && !isFirst) || (high && this.compare(key, high) >= 0)) {
        return 'its keys are not in order';
      }
      previous = key;
    }
    return bytes === space - upper ? undefined : 'its records do not fill it';
  }

  private compare(a: Buffer, b: Buffer): number {
    if (this.tree.kind !== 'free' || a.length !== 8 || b.length !== 8) return Buffer.compare(a, b);
    return readNumber(a, 0) - readNumber(b, 0);
  }

  compareCounts(): void {
    const { tree } = this;
    const isEqual =
      tree.branchPages === this.branchPages &&
      tree.leafPages === this.leafPages &&
      (!this.isComplete || (tree.overflowPages === this.overflowPages && tree.entries === this.entries));
    if (!isEqual && (this.isComplete || tree.leafPages !== this.leafPages)) {
      this.check.report(`${tree.name}: it has ${this.entries} records; its size says ${tree.entries}`);
    }
  }
}

const countOf = (page: Buffer) => page.readUInt16LE(20) / 2;
const nodeAt = (page: Buffer, i: number) => PAGE_HEADER_BYTES + page.readUInt16LE(PAGE_HEADER_BYTES + 2 * i);
const sizeAt = (page: Buffer, at: number) => page.readUInt32LE(at);
/** The bytes of a value within its page. */
const dataBytes = (page: Buffer, at: number) =>
  page.readUInt16LE(at + 4) & nodeFlags.big ? PAGE_HEADER_BYTES : sizeAt(page, at);

function keyAt(page: Buffer, i: number): Buffer {
  const at = nodeAt(page, i);
  const from = at + NODE_HEADER_BYTES;
  return page.subarray(from, from + page.readUInt16LE(at + 6));
}

/** The child of a branch node: 48 bits. */
function childAt(page: Buffer, i: number): number {
  const at = nodeAt(page, i);
  return page.readUInt32LE(at) + page.readUInt16LE(at + 4) * 2 ** 32;
}

/** A 64-bit number. Numbers above 2^53 are inexact; all of them are above every size. */
const readNumber = (bytes: Buffer, at: number) => bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
const hasBit = (bits: Uint8Array, i: number) => (bits[i >> 3]! & (1 << (i & 7))) !== 0;
const setBit = (bits: Uint8Array, i: number) => void (bits[i >> 3]! |= 1 << (i & 7));
const printable = (key: Buffer) =>
  JSON.stringify(
    key
      .toString('latin1')
      .replaceAll(/[^ -~]+/g, ' ')
      .trim(),
  );
