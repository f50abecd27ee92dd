import type { ComponentChildren } from 'preact';
import { words } from '../../words/en';

/** More rows would make the page slow; the command lists all. */
const MAX_ROWS = 300;

/** The path of a file and what is said about it, or what stands in place of both. */
export type Row = [path: string, about: string, instead?: ComponentChildren];

interface FileGroupProps {
  name: string;
  mark: 'added' | 'changed' | 'removed';
  rows: Row[];
}

/** Files that changed in the same way. */
export function FileGroup({ name, mark, rows }: FileGroupProps) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h3>
        {name} <span class="quiet">{rows.length}</span>
      </h3>
      <ul class={`files ${mark}`}>
        {rows.slice(0, MAX_ROWS).map(([path, about, instead]) => (
          <li key={path}>
            {instead || (
              <>
                <bdi translate={false}>{path}</bdi>
                <span class="quiet small">{about}</span>
              </>
            )}
          </li>
        ))}
      </ul>
      {rows.length > MAX_ROWS && <p class="quiet small">{words.deckVersions.moreFiles(rows.length - MAX_ROWS)}</p>}
    </section>
  );
}
