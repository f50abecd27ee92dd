import { formatDuration, formatNumber, formatPercent } from '../../../format';
import { NoSlidePicture, SlidePicture, type Slide } from '../../../deck-picture/slide-picture';
import { BarTable } from '../../../ui/chart';
import { words } from '../../../words/en';
import type { Insights } from './choice';
import { slideName } from './slide-name';

interface SlidesProps {
  figures: Insights;
  id: string;
  /** The version whose pictures stand beside the figures, with its pictures. */
  version: number;
  pictures: readonly Slide[];
}

/** How long readers stay on each slide, and where they stop. A slide that the version does not have has no picture. */
export function Slides({ figures: { bySlide, views }, id, version, pictures }: SlidesProps) {
  const said = words.insights;
  const pictureOf = new Map(pictures.map((slide) => [slide.key, slide]));
  const rows = bySlide.map((slide) => ({ ...slide, title: slideName(slide), picture: pictureOf.get(slide.key) }));
  const isPictured = rows.some(({ picture }) => picture !== undefined);
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
            nameOf={({ title }) => title}
            pictures={
              isPictured
                ? {
                    title: words.pictures.column,
                    of: ({ title, picture }) =>
                      picture ? (
                        <SlidePicture id={id} version={version} slide={picture} title={title} />
                      ) : (
                        <NoSlidePicture />
                      ),
                  }
                : undefined
            }
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
