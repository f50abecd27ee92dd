import type { FilesDiff } from '../../functions/src/values/files-diff';
import { formatBytes, plain } from '../../client/src/format';
import type { ChangedFile } from '../../functions/src/values/three-way';
import { columns } from './columns';
import type { Terminal } from './terminal';

/** So many files are named. The JSON document names them all. */
const SHOWN_FILES = 40;

/** Shows the counts of a comparison, and its files with their sizes. */
export function showDiff({ added, changed, removed, renamed, unchanged }: FilesDiff, terminal: Terminal): void {
  const { green, yellow, red, cyan, dim } = terminal.colors;
  terminal.say(
    `  ${added.length} added, ${changed.length} changed, ${removed.length} removed, ${renamed.length} renamed, ` +
      `${unchanged} unchanged`,
  );
  const rows: { what: string; paint: (text: string) => string; size: number; text: string; note?: string }[] = [
    ...added.map(({ path, size }) => ({ what: 'added', paint: green, size, text: plain(path) })),
    ...changed.map(({ path, from, to }) => ({
      what: 'changed',
      paint: yellow,
      size: to.size,
      text: plain(path),
      note: from.size === to.size ? '' : ` (was ${formatBytes(from.size)})`,
    })),
    ...removed.map(({ path, size }) => ({ what: 'removed', paint: red, size, text: plain(path) })),
    ...renamed.map(({ from, to, size }) => ({
      what: 'renamed',
      paint: cyan,
      size,
      text: `${plain(from)} → ${plain(to)}`,
    })),
  ];
  for (const { what, paint, size, text, note = '' } of rows.slice(0, SHOWN_FILES))
    terminal.say(`  ${paint(what)}  ${formatBytes(size).padStart(8)}  ${text}${note && dim(note)}`);
  showRest(rows.length, terminal);
}

/** Shows what a pull does with the files that changed: conflicts first, then what it merges, takes and keeps. */
export function showPull(files: readonly ChangedFile[], terminal: Terminal): void {
  const { red, yellow, green, dim } = terminal.colors;
  const paints = { conflict: red, merge: yellow, take: green, keep: (text: string) => text, same: dim };
  const sorted = (Object.keys(paints) as (keyof typeof paints)[]).flatMap((action) =>
    files.filter((file) => file.action === action),
  );
  const shown = sorted.slice(0, SHOWN_FILES);
  const lines = columns(shown.map((file) => [file.action, changesOf(file), plain(file.path)]));
  lines.forEach((line, i) => terminal.say(`  ${paints[shown[i]?.action ?? 'keep'](line)}`));
  showRest(sorted.length, terminal);
}

function changesOf({ here, there }: ChangedFile): string {
  if (here === there) return `${here} on both sides`;
  return [here && `${here} here`, there && `${there} there`].filter(Boolean).join(', ');
}

function showRest(files: number, terminal: Terminal): void {
  if (files > SHOWN_FILES) terminal.say(`  … and ${files - SHOWN_FILES} more; --json names them all`);
}
