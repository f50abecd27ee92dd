import {
  childAt,
  countOf,
  dataBytes,
  keyAt,
  NODE_HEADER_BYTES,
  nodeAt,
  nodeFlags,
  PAGE_HEADER_BYTES,
  pageTypes,
  readNumber,
  sizeAt,
  type Tree,
} from './lmdb-format';

/** The pages of a file, and what is known about them. */
export interface Pages {
  readonly pageBytes: number;
  /** The number of the last transaction. */
  readonly transaction: number;
  report(sentence: string): void;
  /** Notes that a page is in use. Reports a page that is in use twice or that the file does not have. */
  claim(page: number, tree: Tree): boolean;
  /** Whether pages with records may be read within the budget. */
  mayRead(tree: Tree, pages: number): boolean;
  /** Reads a page into the buffer of its depth. The buffer is used again for the next page of that depth. */
  readPage(page: number, depth: number): Buffer;
  /** The problem of a page's header, if any. */
  headerProblem(page: Buffer, number: number, type: number): string | undefined;
  /**
   * Reads a value that does not fit into its page. Undefined when the pages of the value are damaged. Without a value
   * when the budget is spent.
   */
  readOverflow(node: Buffer, size: number, tree: Tree): { value?: Buffer; pages: number } | undefined;
  /** Checks one record of a leaf. Returns the tree that a record of the main tree names. */
  checkRecord(tree: Tree, key: Buffer, value: Buffer, isTree: boolean): Tree | undefined;
}

/** Checks one tree from its root. */
export class TreeWalk {
  readonly named: Tree[] = [];
  private branchPages = 0;
  private leafPages = 0;
  private overflowPages = 0;
  private entries = 0;
  /** Whether every record was read, and whether damage has hidden pages. */
  private isComplete = true;
  private isBroken = false;

  constructor(
    private readonly pages: Pages,
    private readonly tree: Tree,
  ) {}

  /** Checks the page and everything below it. Its keys are at least `low` and below `high`. */
  visit(number: number, depth: number, low: Buffer | undefined, high: Buffer | undefined): void {
    const { pages, tree } = this;
    if (!pages.claim(number, tree)) {
      this.isBroken = true;
      return;
    }
    const isLeaf = depth === 1;
    if (isLeaf) this.leafPages++;
    else this.branchPages++;
    if (isLeaf && !pages.mayRead(tree, 1)) {
      this.isComplete = false;
      return;
    }
    const page = pages.readPage(number, depth);
    const problem =
      pages.headerProblem(page, number, isLeaf ? pageTypes.leaf : pageTypes.branch) ??
      this.problemOf(page, isLeaf, low, high);
    const isRoot = number === tree.root;
    // Every transaction writes the root of the main tree. An older root is not the state of the last transaction.
    const isOld = tree.kind === 'main' && isRoot && readNumber(page, 8) !== pages.transaction;
    if (problem !== undefined || isOld) {
      pages.report(`${tree.name}: page ${number} is damaged: ${problem ?? 'it is older than the file'}`);
      this.isBroken = true;
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
        const big = this.pages.readOverflow(page.subarray(from, from + PAGE_HEADER_BYTES), sizeAt(page, at), this.tree);
        this.overflowPages += big?.pages ?? 0;
        this.isBroken ||= !big;
        value = big?.value;
      }
      if (!value) {
        this.isComplete = false;
        continue;
      }
      const named = this.pages.checkRecord(this.tree, keyAt(page, i), value, (flags & nodeFlags.tree) !== 0);
      if (named) this.named.push(named);
    }
  }

  /** Checks the nodes of a page: they fill the page exactly, and their keys ascend within the page's range. */
  private problemOf(page: Buffer, isLeaf: boolean, low: Buffer | undefined, high: Buffer | undefined) {
    const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
    const space = this.pages.pageBytes - PAGE_HEADER_BYTES;
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
    if (this.isBroken) return;
    const arePagesEqual = tree.branchPages === this.branchPages && tree.leafPages === this.leafPages;
    const areRecordsEqual = tree.overflowPages === this.overflowPages && tree.entries === this.entries;
    if (!arePagesEqual || (this.isComplete && !areRecordsEqual)) {
      this.pages.report(`${tree.name}: its size is wrong`);
    }
  }
}
