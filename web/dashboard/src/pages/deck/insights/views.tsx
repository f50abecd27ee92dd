import { words } from '../../../words/en';
import type { usePages } from '../../../use-pages';
import type { View } from './choice';
import { ViewRow } from './view-row';

interface ViewsProps {
  views: ReturnType<typeof usePages<View>>;
  current: number;
}

/** The visits, newest first. */
export function Views({ views: { rows = [], hasMore, isLoading, more }, current }: ViewsProps) {
  const said = words.insights;
  if (rows.length === 0 && !hasMore) return null;
  return (
    <section>
      <h2>{said.history}</h2>
      <ol class="rows" aria-label={said.list}>
        {rows.map((view) => (
          <ViewRow key={view.viewId} view={view} current={current} />
        ))}
      </ol>
      {hasMore && (
        <div class="actions">
          <button type="button" class="button" aria-disabled={isLoading} onClick={() => void more()}>
            {said.more}
          </button>
        </div>
      )}
    </section>
  );
}
