import { useState } from 'preact/hooks';
import { NoSlidePicture, SlidePicture, type Slide } from '../../deck-picture/slide-picture';
import { service } from '../../service';
import { FailureNotice } from '../../ui/failure-notice';
import { Skeleton } from '../../ui/skeleton';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';

interface SlideChangesProps {
  id: string;
  from: number;
  to: number;
}

/**
 * A slide that looks different in two versions. One of the two pictures is missing where a slide was added or removed.
 */
interface Pair {
  key: string;
  before: Slide | undefined;
  after: Slide | undefined;
}

/** So many pairs are shown at once. */
const SHOWN_AT_ONCE = 12;

/** The slides that look different in two versions, as pairs of pictures. Nothing where neither version has pictures. */
export function SlideChanges({ id, from, to }: SlideChangesProps) {
  const { data, failure, reload } = useLoaded(
    (signal) => Promise.all([from, to].map((version) => slidesOf(id, version, signal))),
    [id, from, to],
  );
  const said = words.pictures;
  const [before = [], after = []] = data ?? [];
  if (data && before.length + after.length === 0) return null;
  return (
    <section>
      <h3>{said.changes}</h3>
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {!data && !failure && <Skeleton label={said.comparing} lines={3} />}
      {data &&
        (before.length > 0 && after.length > 0 ? (
          <Pairs id={id} from={from} to={to} pairs={pairsOf(before, after)} slides={after.length} />
        ) : (
          <p class="quiet small">{said.without(before.length > 0 ? to : from)}</p>
        ))}
    </section>
  );
}

async function slidesOf(id: string, version: number, signal: AbortSignal): Promise<Slide[]> {
  const input = { presentationId: id, version: String(version) };
  return (await service().get('listSlidePictures', input, { signal })).slides;
}

/** In the order of the slides: a removed one stands where it was. Slides that look the same have the same hash. */
function pairsOf(before: readonly Slide[], after: readonly Slide[]): Pair[] {
  const [old, present] = [before, after].map((slides) => new Map(slides.map((slide) => [slide.key, slide])));
  const pairs = after.map((slide): Pair => ({ key: slide.key, before: old!.get(slide.key), after: slide }));
  const removed = before.filter(({ key }) => !present!.has(key));
  for (const slide of removed) {
    const previous = pairs.findLastIndex(({ before: there }) => there !== undefined && there.index < slide.index);
    pairs.splice(previous + 1, 0, { key: slide.key, before: slide, after: undefined });
  }
  return pairs.filter((pair) => pair.before?.sha256 !== pair.after?.sha256);
}

function Pairs({ id, from, to, pairs, slides }: SlideChangesProps & { pairs: Pair[]; slides: number }) {
  const [isWhole, setWhole] = useState(false);
  const said = words.pictures;
  if (pairs.length === 0) return <p class="quiet small">{said.same}</p>;
  const shown = isWhole ? pairs : pairs.slice(0, SHOWN_AT_ONCE);
  const others = slides - pairs.filter(({ after }) => after).length;
  return (
    <>
      <ol class="slide-pairs">
        {shown.map(({ key, before, after }) => {
          const { title, index } = (after ?? before)!;
          const name = title || words.insights.untitled(index + 1);
          const mark = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
          return (
            <li key={key} class={mark}>
              <p>
                <span dir="auto">{name}</span> <span class="label">{said[mark]}</span>
              </p>
              <div class="sides">
                <Side id={id} version={from} slide={before} name={name} />
                <Side id={id} version={to} slide={after} name={name} />
              </div>
            </li>
          );
        })}
      </ol>
      {shown.length < pairs.length && (
        <button type="button" class="button small" onClick={() => setWhole(true)}>
          {said.more(pairs.length - shown.length)}
        </button>
      )}
      {others > 0 && <p class="quiet small">{said.others(others)}</p>}
    </>
  );
}

function Side({ id, version, slide, name }: { id: string; version: number; slide: Slide | undefined; name: string }) {
  const { notIn, ofVersion } = words.pictures;
  if (!slide) return <NoSlidePicture text={notIn(version)} />;
  return <SlidePicture id={id} version={version} slide={slide} title={ofVersion(name, version)} />;
}
