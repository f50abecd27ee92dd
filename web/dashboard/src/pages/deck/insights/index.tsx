import { Figures } from '../../../insights/figures';
import type { Slide } from '../../../deck-picture/slide-picture';
import { shown } from '../../../navigation';
import { service } from '../../../service';
import { CommandStrip } from '../../../ui/command-strip';
import { EmptyState } from '../../../ui/empty-state';
import { FailureNotice } from '../../../ui/failure-notice';
import { Icon } from '../../../ui/icon';
import { Skeleton } from '../../../ui/skeleton';
import { toast } from '../../../ui/toast';
import { useAction } from '../../../use-action';
import { useLoaded } from '../../../use-loaded';
import { words } from '../../../words/en';
import { fileName, saveFile } from '../save-file';
import { pathOf, type Deck, type SectionProps } from '../use-deck';
import { usePages } from '../../../use-pages';
import { readChoice } from './choice';
import { Filters } from './filters';
import { Slides } from './slides';
import { Sources } from './sources';
import { Views } from './views';
import './style.css';

/** Visits on a page of their list. */
const ROWS = 25;

/** What readers did with the deck: figures of a time, of a link or of a version, and each visit. */
export default function InsightsOfDeck({ deck }: SectionProps) {
  const { id, version } = deck;
  const choice = readChoice(shown.value?.query ?? new URLSearchParams());
  const { from, to, tokenId, version: ofVersion } = choice;
  const one = tokenId ? { tokenId } : ofVersion ? { version: String(ofVersion) } : {};
  const input = { presentationId: id, from, to, ...one };
  const keys = [id, from, to, tokenId, ofVersion];
  // The pictures of one version stand beside figures of all.
  const pictured = ofVersion ?? version;
  const figures = useLoaded((signal) => service().get('getPresentationInsights', input, { signal }), keys);
  const views = usePages(async (cursor, signal) => {
    const asked = { ...input, limit: ROWS, ...(cursor && { cursor }) };
    const { views: rows, nextCursor } = await service().get('listPresentationViews', asked, { signal });
    return { rows, nextCursor };
  }, keys);
  const pictures = useLoaded((signal) => picturesOf(deck, pictured, signal), [id, pictured, deck.slidePictures]);
  const failure = figures.failure ?? views.failure;
  // What stands below is shown together with what stands above it, so that nothing moves.
  const isWaiting = !failure && (!figures.data || !views.rows || !pictures.data);
  const { about, loading } = words.insights;
  const reload = () => void Promise.all([figures.reload(), views.reload()]);
  return (
    <section class="insights section-place" aria-busy={isWaiting || figures.isLoading}>
      <h2 class="visually-hidden">{words.deck.tabs.insights}</h2>
      <p class="quiet">{about}</p>
      {deck.tracking === 'count' && <CountOnly id={id} />}
      <Filters deck={deck} choice={choice} />
      <FailureNotice failure={failure} onRetry={reload} />
      {isWaiting && <Skeleton label={loading} lines={8} />}
      {figures.data && views.rows && pictures.data && (
        <>
          {figures.data.views === 0 && views.rows.length === 0 ? (
            <Nothing deck={deck} />
          ) : (
            <>
              <Figures figures={figures.data} />
              <Slides figures={figures.data} id={id} version={pictured} pictures={pictures.data} />
              <Sources figures={figures.data} deck={deck} />
              <Views views={views} current={version} />
            </>
          )}
          {deck.totalViews > 0 && <Download deck={deck} />}
        </>
      )}
      {!isWaiting && (
        <CommandStrip
          command={`deck insights ${id}`}
          call={{ name: 'getPresentationInsights', method: 'GET', input }}
        />
      )}
    </section>
  );
}

/** The pictures of the slides of a version. The figures do without them when they do not load. */
async function picturesOf({ id, slidePictures }: Deck, version: number, signal: AbortSignal): Promise<Slide[]> {
  if (!slidePictures) return [];
  const input = { presentationId: id, version: String(version) };
  const asked = service().get('listSlidePictures', input, { canRepeat: false, signal });
  return asked.then(
    ({ slides }) => slides,
    () => [],
  );
}

function CountOnly({ id }: { id: string }) {
  const { countOnly, toTracking } = words.insights;
  return (
    <div class="notice">
      <p>
        {countOnly} <a href={pathOf(id, 'settings')}>{toTracking}</a>
      </p>
    </div>
  );
}

/** No visit was recorded, ever or in the chosen time. */
function Nothing({ deck: { id, lastViewedAt } }: { deck: Deck }) {
  const { noneTitle, none, noneHere, share } = words.insights;
  if (lastViewedAt) return <EmptyState text={noneHere} />;
  return (
    <EmptyState title={noneTitle} text={none}>
      <a class="button primary" href={pathOf(id, 'links')}>
        {share}
      </a>
    </EmptyState>
  );
}

function Download({ deck: { id, title } }: { deck: Deck }) {
  const { download, downloadHint, downloaded } = words.insights;
  const saving = useAction(async () => {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    await service().exportViews({ presentationId: id, format: 'csv' }, (bytes) => {
      parts.push(bytes as Uint8Array<ArrayBuffer>);
    });
    const name = `${fileName(title)}-visits.csv`;
    saveFile(new Blob(parts, { type: 'text/csv' }), name);
    toast(downloaded(name));
  });
  return (
    <>
      <div class="actions">
        <button type="button" class="button" aria-disabled={saving.isBusy} onClick={() => void saving.run()}>
          <Icon name="download" />
          {download}
        </button>
        <span class="quiet small">{downloadHint}</span>
      </div>
      <FailureNotice failure={saving.failure} />
    </>
  );
}
