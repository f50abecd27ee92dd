import { formatNumber } from '../../format';
import { Figures } from '../../insights/figures';
import { factsOf, Reader } from '../../insights/view-facts';
import { service, type Answer } from '../../service';
import { BarTable } from '../../ui/chart';
import { CommandStrip } from '../../ui/command-strip';
import { EmptyState } from '../../ui/empty-state';
import { FailureNotice } from '../../ui/failure-notice';
import { FirstDeck, NewDeck } from '../../ui/first-deck';
import { Heading, NBSP } from '../../ui/heading';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';
import './style.css';

type Lately = Answer<'getOrganizationInsights'>;

/** What happened lately with the decks of the person, or how to publish the first one. */
export default function Home() {
  const { data, failure, reload } = useLoaded(load);
  const isWaiting = !data && failure === undefined;
  const hasVisits = data && (data.figures.views > 0 || data.figures.latestViews.length > 0);
  return (
    <div class="home" aria-busy={isWaiting}>
      <Heading title={words.overview.title} about={hasVisits ? words.overview.about : NBSP}>
        <NewDeck />
      </Heading>
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {isWaiting && <Skeleton label={words.overview.loading} lines={8} />}
      {data && !data.hasDecks && !hasVisits && <FirstDeck />}
      {data?.hasDecks && !hasVisits && <NoVisits />}
      {hasVisits && <Latest figures={data.figures} />}
      {hasVisits && (
        <CommandStrip command="deck insights --all" call={{ name: 'getOrganizationInsights', method: 'GET' }} />
      )}
    </div>
  );
}

async function load(signal: AbortSignal) {
  const [figures, { presentations }] = await Promise.all([
    service().get('getOrganizationInsights', {}, { signal }),
    service().get('listMyPresentations', { limit: 1 }, { signal }),
  ]);
  return { figures, hasDecks: presentations.length > 0 };
}

function NoVisits() {
  const { noneTitle, none, toDecks } = words.overview;
  return (
    <EmptyState title={noneTitle} text={none}>
      <a class="button" href="/dashboard/decks">
        {toDecks}
      </a>
    </EmptyState>
  );
}

function Latest({ figures }: { figures: Lately }) {
  const { latestViews, byDeck } = figures;
  const { noneLately } = words.overview;
  return (
    <>
      {figures.views > 0 ? <Figures figures={figures} /> : <p class="quiet">{noneLately}</p>}
      <div class="columns">
        {latestViews.length > 0 && <Visits views={latestViews} />}
        {byDeck.length > 0 && <MostRead rows={byDeck.slice(0, 5)} />}
      </div>
    </>
  );
}

const insightsOf = (id: string) => `/dashboard/decks/${encodeURIComponent(id)}/insights`;

/** Who has opened what: `maria@example.com opened Q3`, `2 hours ago, 4 min, up to slide 9 of 12`. */
function Visits({ views }: { views: Lately['latestViews'] }) {
  const { latest, opened } = words.overview;
  return (
    <section aria-labelledby="latest">
      <h2 id="latest">{latest}</h2>
      <ol class="visits">
        {views.map((view) => (
          <li key={view.viewId}>
            <p>
              <strong>
                <Reader view={view} />
              </strong>{' '}
              {opened}{' '}
              <a href={insightsOf(view.presentationId)} dir="auto">
                {view.title}
              </a>
            </p>
            <p class="quiet small">
              <Time iso={view.startedAt} /> · {factsOf(view).join(' · ')}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function MostRead({ rows }: { rows: Lately['byDeck'] }) {
  const { decks, deck } = words.overview;
  const { people, visits } = words.insights;
  return (
    <section class="card" aria-labelledby="most-read">
      <h2 id="most-read">{decks}</h2>
      <BarTable
        caption={decks}
        name={deck}
        nameOf={({ presentationId, title }) => <a href={insightsOf(presentationId)}>{title}</a>}
        rows={rows}
        keyOf={({ presentationId }) => presentationId}
        columns={[
          { title: people, value: (row) => row.people, text: (row) => formatNumber(row.people) },
          { title: visits, text: ({ views }) => formatNumber(views) },
        ]}
      />
    </section>
  );
}
