import type { Reference } from './reference';

/** The paths of a deck's files, as an address may name them. */
export class DeckPaths {
  private readonly paths: Set<string>;
  private readonly byLowerCase: Map<string, string>;
  private readonly folders: Set<string>;

  constructor(paths: readonly string[]) {
    this.paths = new Set(paths);
    this.byLowerCase = new Map(paths.map((path) => [path.toLowerCase(), path]));
    this.folders = new Set(paths.flatMap((path) => slashes(path).map((slash) => path.slice(0, slash + 1))));
  }

  has(path: string, kind: Reference['kind']): boolean {
    if (this.paths.has(path)) return true;
    if (kind === 'folder') return this.folders.has(path);
    if (kind !== 'document') return false;
    // A single-page app answers every address of a page. Another address may omit the index file, or the extension. The
    // rules in `_redirects` are not read: this can omit a warning, and never invents one.
    const names = path.endsWith('/') ? [`${path}index.html`] : [`${path}.html`, `${path}/index.html`];
    return ['200.html', '_redirects', ...names].some((name) => this.paths.has(name));
  }

  /** The file whose path differs only in upper and lower case. */
  inOtherCase(path: string): string | undefined {
    return this.byLowerCase.get(path.toLowerCase());
  }

  /** The file that a deck asks for when it was built for another folder: `assets/a.js` for `talk/assets/a.js`. */
  belowOtherBase(path: string): string | undefined {
    return slashes(path)
      .map((slash) => path.slice(slash + 1))
      .find((rest) => this.paths.has(rest));
  }
}

/** The positions of the slashes. */
const slashes = (path: string) => [...path.matchAll(/\//g)].map(({ index }) => index);
