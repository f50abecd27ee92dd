import { service } from '../../service';
import { FailureNotice } from '../../ui/failure-notice';
import { Skeleton } from '../../ui/skeleton';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';
import { ListingEditor } from './listing-editor';
import type { SectionProps } from './use-deck';

/** Publishes the deck in the marketplace, or changes its listing. */
export default function ListingSection(props: SectionProps) {
  const slug = props.deck.listing?.slug;
  const { data, failure, reload } = useLoaded(
    async (signal) => (slug === undefined ? null : service().get('getMarketplaceListing', { slug }, { signal })),
    [slug],
  );
  const { about, aboutVersion, loading } = words.deckListing;
  const reloadAll = async () => void (await Promise.all([props.reload(), reload()]));
  return (
    <section class="listing section-place" aria-busy={data === undefined && !failure}>
      <h2 class="visually-hidden">{words.deck.tabs.marketplace}</h2>
      <p class="quiet">
        {about} {aboutVersion}
      </p>
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {data === undefined && !failure && <Skeleton label={loading} lines={6} />}
      {data !== undefined && (
        <ListingEditor key={data?.updatedAt ?? 'new'} deck={props.deck} listing={data} reload={reloadAll} />
      )}
    </section>
  );
}
