import { Failure, usageFailure } from '../failure';

/**
 * How the entry is chosen: by the user, or else as in the last push if that file still exists, or else by `findEntry`.
 */
export interface EntryChoice {
  chosen: string | undefined;
  remembered: string | undefined;
}

export function chooseEntry(paths: readonly string[], { chosen, remembered }: EntryChoice): string {
  const isStillThere = remembered !== undefined && paths.includes(remembered);
  return findEntry(paths, chosen ?? (isStillThere ? remembered : undefined));
}

/**
 * The path of the HTML file that opens the deck. The first of these that exists: `chosen`; `index.html` at the root;
 * the only HTML file at the root; the only `index.html` at the least depth; the only HTML file of the deck. Throws
 * `ambiguous-entry` when several files match.
 */
export function findEntry(paths: readonly string[], chosen?: string): string {
  if (chosen !== undefined) return checkChosen(paths, chosen);
  if (paths.includes('index.html')) return 'index.html';
  const pages = paths.filter((path) => /\.html?$/i.test(path));
  if (pages.length === 0)
    throw new Failure('This folder has no HTML file that can open the deck.', {
      code: 'no-entry',
      nextAction:
        paths.length === 0
          ? 'Name another folder.'
          : 'Build the deck first, or name the folder that the build writes to.',
    });
  const candidates = likelyEntries(pages);
  if (candidates.length === 1 && candidates[0] !== undefined) return candidates[0];
  const shown = candidates.slice(0, 10).map((path) => `\n    ${path}`);
  if (candidates.length > shown.length) shown.push(`\n    … and ${candidates.length - shown.length} more`);
  throw new Failure(`Which of these files opens the deck?${shown.join('')}`, {
    code: 'ambiguous-entry',
    nextAction: `Name the entry, for example ${quote(candidates[0] ?? '')}.`,
    details: { candidates },
  });
}

function likelyEntries(pages: string[]): string[] {
  const atRoot = pages.filter((path) => depth(path) === 0);
  if (atRoot.length > 0) return atRoot;
  const indexes = pages.filter((path) => path.endsWith('/index.html'));
  if (indexes.length === 0) return pages;
  const least = Math.min(...indexes.map(depth));
  return indexes.filter((path) => depth(path) === least);
}

function depth(path: string): number {
  return path.split('/').length - 1;
}

function checkChosen(paths: readonly string[], chosen: string): string {
  const path = chosen.replaceAll('\\', '/').replace(/^\.\//, '').normalize('NFC');
  if (paths.includes(path)) return path;
  throw usageFailure(
    `The entry ${quote(chosen)} is not one of the deck's files.`,
    'Give its path inside the pushed folder, and check that .deckignore does not exclude it.',
  );
}

/** The text quoted for a shell, if it needs quotes. */
function quote(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
