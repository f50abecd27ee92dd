import { formatDuration, formatNumber, formatPercent } from '../../../format';
import { BarTable } from '../../../ui/chart';
import { words } from '../../../words/en';
import type { Insights } from './choice';

/** How long readers stay on each slide, and where they stop. */
export function Slides({ figures: { bySlide, views } }: { figures: Insights }) {
  const said = words.insights;
  const rows = bySlide.map((slide, at) => ({ ...slide, position: at + 1 }));
  return (
    <section class="card">
      <h2>{said.bySlide}</h2>
      {rows.length === 0 ? (
        <p class="quiet">{said.noSlides}</p>
      ) : (
        <>
          <BarTable
            caption={said.bySlide}
            name={said.slide}
            nameOf={({ title, position }) => title || said.untitled(position)}
            rows={rows}
            keyOf={({ key }) => key}
            columns={[
              {
                title: said.time,
                value: ({ medianSeconds }) => medianSeconds,
                text: ({ medianSeconds }) => formatDuration(medianSeconds),
              },
              { title: said.seenBy, text: (row) => formatNumber(row.views) },
              {
                title: said.stopped,
                isSecond: true,
                value: ({ exits }) => exits,
                text: ({ exits }) => (views > 0 ? `${formatNumber(exits)} · ${formatPercent(exits / views)}` : exits),
              },
            ]}
          />
          <p class="quiet small">{said.bySlideAbout}</p>
        </>
      )}
    </section>
  );
}
