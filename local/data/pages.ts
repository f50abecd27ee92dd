import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import {
  type FileHeader,
  NO_PAGE,
  PAGE_HEADER_BYTES,
  pageTypes,
  parseTree,
  readFileHeader,
  readNumber,
  TREE_BYTES,
  type Tree,
} from './lmdb-format';
import { isIntact } from './sealed';
import { type Pages, TreeWalk } from './tree-walk';

const MAX_DEPTH = 32;
const MAX_REPORTED = 10;

/** The result of `checkPages`. */
export interface PageReport {
  /** The pages in use, and how many of them were read. They differ when the budget ended. */
  pages: number;
  read: number;
  /** Descriptions of damage, at most ten. Empty when no damage was found. */
  damage: string[];
}

export interface CheckOptions {
  /** Records beyond this size are not read. The pages above them are, and the place of every leaf page is checked. */
  leafBudgetBytes?: number;
  /** Whether every value has a checksum. False for data that was written before values had one. */
  isSealed: boolean;
}

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

class PageCheck implements Pages {
  private readonly damage: string[] = [];
  private readonly fileBytes: number;
  private readonly buffers: Buffer[] = [];
  private readonly header: FileHeader;
  /** One bit for each page: in use, and free. */
  private readonly used: Uint8Array;
  private readonly free: Uint8Array;
  private usedCount = 0;
  private readCount = 0;
  private leafBytesLeft: number;
  private readonly isSealed: boolean;

  constructor(
    file: string,
    private readonly handle: number,
    options: CheckOptions,
  ) {
    this.fileBytes = fstatSync(handle).size;
    this.leafBytesLeft = options.leafBudgetBytes ?? Infinity;
    this.isSealed = options.isSealed;
    this.header = readFileHeader(file, this.fileBytes, (position, length) => this.readAt(position, length));
    this.used = new Uint8Array(this.header.lastPage / 8 + 1);
    this.free = new Uint8Array(this.header.lastPage / 8 + 1);
  }

  get pageBytes(): number {
    return this.header.pageBytes;
  }

  get transaction(): number {
    return this.header.transaction;
  }

  run(): PageReport {
    const { lastPage, main, free } = this.header;
    // The file may end before the last page when the last pages are free. A full check tells that from a loss.
    if (this.fileBytes < (lastPage + 1) * this.pageBytes) this.leafBytesLeft = Infinity;
    try {
      // The free list comes last: a page that is free and in use is then reported.
      this.checkTree(main);
      this.checkTree(free);
    } catch (error) {
      if (!(error instanceof Enough)) throw error;
    }
    return { pages: this.usedCount, read: this.readCount, damage: this.damage };
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
    this.damage.push(sentence);
    if (this.damage.length >= MAX_REPORTED) throw new Enough();
  }

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
    const isListed = page >= 2 && page <= this.header.lastPage;
    return isListed && (page + 1) * this.pageBytes <= this.fileBytes;
  }

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

  mayRead(tree: Tree, pages: number): boolean {
    if (tree.kind !== 'named') return true;
    this.leafBytesLeft -= pages * this.pageBytes;
    return this.leafBytesLeft >= 0;
  }

  headerProblem(page: Buffer, number: number, type: number): string | undefined {
    if (readNumber(page, 0) !== number) return 'it has the number of another page';
    const transaction = readNumber(page, 8);
    if (transaction < 1 || transaction > this.transaction) return 'it is newer than the file';
    if (page.readUInt16LE(18) !== type) return 'it has the wrong type';
    return undefined;
  }

  readOverflow(node: Buffer, size: number, tree: Tree): { value?: Buffer; pages: number } | undefined {
    const [first, count] = [readNumber(node, 0), readNumber(node, 16)];
    const needed = Math.ceil((PAGE_HEADER_BYTES + size) / this.pageBytes);
    if (count !== needed) {
      this.report(`${tree.name}: a large value has the wrong size`);
      return undefined;
    }
    for (let i = 0; i < count; i++) if (!this.claim(first + i, tree)) return undefined;
    if (!this.mayRead(tree, count)) return { pages: count };
    const bytes = this.readAt(first * this.pageBytes, PAGE_HEADER_BYTES + size);
    this.readCount += count;
    const problem = this.headerProblem(bytes, first, pageTypes.overflow);
    if (problem || bytes.readUInt32LE(20) !== count) {
      this.report(`${tree.name}: page ${first} is damaged: ${problem ?? 'it has the wrong length'}`);
      return undefined;
    }
    return { value: bytes.subarray(PAGE_HEADER_BYTES), pages: count };
  }

  checkRecord(tree: Tree, key: Buffer, value: Buffer, isTree: boolean): Tree | undefined {
    if (tree.kind === 'free') this.checkFreeList(key, value);
    else if (tree.kind === 'main') {
      const name = `the table "${key.toString('latin1').replaceAll('\0', '')}"`;
      if (isTree && value.length === TREE_BYTES) return parseTree(value, 0, name, 'named');
      this.report('the list of tables contains a record that is not a table');
    } else if (isTree || (this.isSealed && !isIntact(key, value))) {
      this.report(`${tree.name}: the checksum of the record ${printable(key)} does not match`);
    }
    return undefined;
  }

  /** A record of the free list: a count, then page numbers. A negative number gives the length of the next block. */
  private checkFreeList(key: Buffer, value: Buffer): void {
    const count = value.length >= 8 ? Number(value.readBigInt64LE(0)) : -1;
    if (key.length !== 8 || readNumber(key, 0) > this.transaction || count < 0 || 8 * (count + 1) > value.length) {
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
      if (page < 2 || page + length - 1 > this.header.lastPage) {
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

const hasBit = (bits: Uint8Array, i: number) => (bits[i >> 3]! & (1 << (i & 7))) !== 0;
const setBit = (bits: Uint8Array, i: number) => void (bits[i >> 3]! |= 1 << (i & 7));
/** The characters of a key that can be printed. */
const printable = (key: Buffer) =>
  JSON.stringify(
    key
      .toString('latin1')
      .replaceAll(/[^ -~]+/g, ' ')
      .trim(),
  );
