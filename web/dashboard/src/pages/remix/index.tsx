import { useState } from 'preact/hooks';
import 'virtual:cards.css';
import { ListingPicture } from '../../../../../functions/src/house/listing-card';
import { useAttempts } from '../../attempts';
import { navigate, type PageProps } from '../../navigation';
import { service, type Answer } from '../../service';
import { CommandStrip, quoted } from '../../ui/command-strip';
import { FailureNotice } from '../../ui/failure-notice';
import { Field } from '../../ui/field';
import { Heading } from '../../ui/heading';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { Skeleton } from '../../ui/skeleton';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';
import './style.css';

type Listing = Answer<'getMarketplaceListing'>;

/** Copies a listing of the marketplace into a new deck of the person. */
export default function Remix({ params: { slug = '' } }: PageProps) {
  const { data, failure, isLoading, reload } = useLoaded(
    () => service().get('getMarketplaceListing', { slug }),
    [slug],
  );
  // The form is shown with its warning at once. Without an answer, the worse case is told.
  const info = useLoaded((signal) => service().get('getServiceInfo', {}, { signal }));
  const isWaiting = isLoading || info.isLoading;
  return (
    <div class="remix" aria-busy={isWaiting}>
      <Heading title={words.remix.title} />
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {failure !== undefined && (
        <p>
          <a class="button" href="/marketplace">
            {words.remix.gone}
          </a>
        </p>
      )}
      {isWaiting && failure === undefined && <Skeleton label={words.shell.loading} lines={6} />}
      {data && !isWaiting && (
        <>
          <Source listing={data} />
          {data.status === 'public' ? (
            <RemixForm listing={data} hasDeckOrigins={info.data?.deckOrigins ?? false} />
          ) : (
            <p class="notice">{words.remix.notPublic}</p>
          )}
        </>
      )}
    </div>
  );
}

/** The page of the listing lies on the same origin, so that its star knows the session. */
const pageOf = (slug: string) => `/marketplace/${slug}`;

/** What is copied: the listing with its picture, and the first of its files. */
function Source({ listing }: { listing: Listing }) {
  const { slug, title, description, owner, version, fileCount, totalBytes, files } = listing;
  return (
    <section class="card source" aria-labelledby="source">
      <ListingPicture {...listing} isBare />
      <h2 id="source" dir="auto">
        {title}
      </h2>
      <p class="quiet">
        {words.remix.by(owner.displayName)} · {words.remix.version(version, fileCount, totalBytes)}
      </p>
      <p dir="auto">{description}</p>
      <details>
        <summary>{words.remix.files}</summary>
        <ul tabIndex={0} aria-label={words.remix.files}>
          {files.slice(0, FILES_SHOWN).map(({ path }) => (
            <li key={path}>
              <bdi translate={false}>{path}</bdi>
            </li>
          ))}
          {files.length > FILES_SHOWN && <li class="quiet">{words.remix.moreFiles(files.length - FILES_SHOWN)}</li>}
        </ul>
      </details>
      <p>
        <a href={pageOf(slug)}>{words.remix.look}</a>
      </p>
    </section>
  );
}

const FILES_SHOWN = 50;
const MAX_TITLE = 255;

function RemixForm({
  listing: { slug, title: ofListing },
  hasDeckOrigins,
}: {
  listing: Listing;
  hasDeckOrigins: boolean;
}) {
  const [title, setTitle] = useState(ofListing);
  const attempts = useAttempts();
  const { run, isBusy, failure } = useAction(async () => {
    const input = { slug, title };
    const made = await attempts.run(input, (once) => service().post('remixMarketplaceListing', input, once));
    // The remix exists whether it is counted or not.
    void service()
      .post('recordMarketplaceRemix', { slug }, { canRepeat: false })
      .catch(() => undefined);
    toast(words.remix.made);
    navigate(`/dashboard/decks/${made.presentationId}`);
  });
  return (
    <form
      aria-busy={isBusy}
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <Field
        label={words.remix.newTitle}
        hint={words.remix.newTitleHint}
        value={title}
        onValue={setTitle}
        maxLength={MAX_TITLE}
        dir="auto"
        required
      />
      <div class="notice">
        <p>
          <strong>{words.remix.warningTitle}</strong>{' '}
          {hasDeckOrigins ? words.remix.warningOnOrigin : words.remix.warning}
        </p>
      </div>
      <FailureNotice failure={failure} />
      <div class="actions">
        <button type="submit" class="button primary" aria-disabled={isBusy}>
          {isBusy ? words.remix.making : words.remix.make}
        </button>
      </div>
      <CommandStrip
        command={`deck remix ${quoted(slug)}`}
        call={{ name: 'remixMarketplaceListing', method: 'POST', input: { slug, title } }}
      />
    </form>
  );
}
