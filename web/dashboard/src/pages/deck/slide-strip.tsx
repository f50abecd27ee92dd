import { useId, useState } from 'preact/hooks';
import { SlidePicture } from '../../deck-picture/slide-picture';
import { service } from '../../service';
import { FailureNotice } from '../../ui/failure-notice';
import { Skeleton } from '../../ui/skeleton';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';
import type { Deck } from './use-deck';

/** The keyboard stops at each of them on its way down the page. */
const SHOWN_AT_ONCE = 12;

/**
 * The slides of the newest version in a row. A deck without a picture has no pictures of slides either: it has no row.
 * One whose author gave a picture has a row that may say that it is empty, so that nothing below moves.
 */
export function SlideStrip({ deck }: { deck: Deck }) {
  const heading = useId();
  const [isWhole, setWhole] = useState(false);
  const { id, version, picture, slidePictures } = deck;
  const isShown = picture !== null && slidePictures !== false;
  const { data, failure, reload } = useLoaded(
    async (signal) => {
      if (!isShown) return [];
      const input = { presentationId: id, version: String(version) };
      return (await service().get('listSlidePictures', input, { signal })).slides;
    },
    [id, version, picture?.sha256, isShown],
  );
  if (!isShown) return null;
  const said = words.pictures;
  const slides = data ?? [];
  const shown = isWhole ? slides : slides.slice(0, SHOWN_AT_ONCE);
  return (
    <section class="slide-strip" aria-labelledby={heading}>
      <h2 id={heading}>{said.strip}</h2>
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {!data && !failure && <Skeleton label={said.loading} lines={4} />}
      {data?.length === 0 && <p class="empty-strip quiet small">{said.noStrip}</p>}
      {shown.length > 0 && (
        <ol>
          {shown.map((slide) => {
            const title = slide.title || words.insights.untitled(slide.index + 1);
            return (
              <li key={slide.key}>
                <SlidePicture id={id} version={version} slide={slide} title={title} />
                <span class="quiet small" dir="auto" aria-hidden="true">
                  {title}
                </span>
              </li>
            );
          })}
          {shown.length < slides.length && (
            <li>
              <button type="button" class="button small" onClick={() => setWhole(true)}>
                {said.more(slides.length - shown.length)}
              </button>
            </li>
          )}
        </ol>
      )}
    </section>
  );
}
