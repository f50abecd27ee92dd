import { useState } from 'preact/hooks';
import { loadSourcePicture } from '../../deck-picture/load';
import { useAttempts } from '../../attempts';
import { formatBytes } from '../../format';
import { isFailure, service, type Answer } from '../../service';
import { CommandStrip } from '../../ui/command-strip';
import { FailureNotice } from '../../ui/failure-notice';
import { Skeleton } from '../../ui/skeleton';
import { toast } from '../../ui/toast';
import { useAction } from '../../use-action';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';
import { sourceWords as said } from '../../words/source';
import { FileGroup, type Row } from './file-group';
import { isReadable, TextChanges } from './text-changes';
import type { SectionProps } from './use-deck';

type Compared = Answer<'compareRemix'>;
type StoredFile = Compared['added'][number];

/** What changed in the listing of which the deck is a remix, and a button that takes it. */
export default function SourceSection({ deck, reload, made }: SectionProps) {
  const { id, version, remixedFromSlug } = deck;
  const input = { presentationId: id };
  const found = useLoaded((signal) => service().get('compareRemix', input, { signal }), [id, version]);
  const { data, failure } = found;
  const isGone = isFailure(failure, 'conflict') && 'state' in (failure.details ?? {});
  return (
    <section class="source-changes section-place" aria-busy={!data && !failure}>
      <p class="quiet">
        {said.about(remixedFromSlug ?? '')} <a href={`/marketplace/${remixedFromSlug ?? ''}`}>{said.look}</a>
      </p>
      {isGone ? (
        <div class="notice">
          <h2>{said.gone}</h2>
          <p>{said.goneWhy}</p>
        </div>
      ) : (
        <FailureNotice failure={failure} onRetry={() => void found.reload()} />
      )}
      {!data && !failure && <Skeleton label={said.loading} lines={5} />}
      {data && (
        <Changes
          id={id}
          compared={data}
          made={made}
          reload={async () => void (await Promise.all([reload(), found.reload()]))}
        />
      )}
      <CommandStrip command="deck remix --update" call={{ name: 'compareRemix', method: 'GET', input }} />
    </section>
  );
}

interface ChangesProps extends Pick<SectionProps, 'made' | 'reload'> {
  id: string;
  compared: Compared;
}

function Changes(props: ChangesProps) {
  const { id, compared } = props;
  const { source, added, changed, removed, both } = compared;
  const taken = added.length + changed.length + removed.length;
  if (taken + both.length === 0)
    return (
      <>
        <h2>{said.same}</h2>
        <p class="quiet">{said.sameWhy(source.latest)}</p>
      </>
    );
  const row = (path: string, from: StoredFile | null, to: StoredFile | null): Row => [
    path,
    [from, to].map((file) => (file ? factsOf(file) : said.nowMissing)).join(' → '),
    from && to && <Difference id={id} path={path} from={from} to={to} />,
  ];
  const alone = (file: StoredFile): Row => [file.path, factsOf(file)];
  return (
    <>
      <h2>{said.changed(taken + both.length)}</h2>
      <p class="quiet">{said.versions(source.version, source.latest)}</p>
      {taken > 0 && <Take {...props} count={taken} />}
      <div class="comparison">
        {both.length > 0 && (
          <div class="notice">
            <p>{said.bothWhy}</p>
            <p>
              <code translate={false}>deck remix --update</code>
            </p>
          </div>
        )}
        <FileGroup name={said.both} mark="changed" rows={both.map((file) => row(file.path, file.base, file.source))} />
        <FileGroup
          name={said.onlyThere}
          mark="changed"
          rows={changed.map(({ path, from, to }) => row(path, from, to))}
        />
        <FileGroup name={said.added} mark="added" rows={added.map(alone)} />
        <FileGroup name={said.removed} mark="removed" rows={removed.map(alone)} />
      </div>
    </>
  );
}

/** The size and the first letters of the hash. */
const factsOf = ({ size, sha256 }: StoredFile) => `${formatBytes(size)}, ${sha256.slice(0, 8)}`;

/** Takes what only the source changed, as a new version of the deck. */
function Take({ id, compared, count, made, reload }: ChangesProps & { count: number }) {
  const attempts = useAttempts();
  const { run, isBusy, failure } = useAction(async () => {
    const { version: expectedBaseVersion, source, added, changed, removed } = compared;
    const paths = [...added, ...changed, ...removed].map(({ path }) => path);
    const input = { presentationId: id, expectedBaseVersion, paths, sourceVersion: source.latest };
    try {
      const { version } = await attempts.run(input, (once) => service().post('updateRemix', input, once));
      toast(said.taken(version));
      made(version);
    } catch (error) {
      // The deck or its source has another version: the next attempt needs what is compared now.
      if (isFailure(error, 'conflict')) await reload();
      throw error;
    }
    await reload();
  });
  return (
    <>
      <div class="actions">
        <button type="button" class="button primary" aria-disabled={isBusy} onClick={() => void run()}>
          {isBusy ? said.taking : said.take(count)}
        </button>
        <span class="quiet small">{said.takeWhy}</span>
      </div>
      <FailureNotice failure={failure} />
    </>
  );
}

interface DifferenceProps {
  id: string;
  path: string;
  from: StoredFile;
  to: StoredFile;
}

const MAX_PICTURE_BYTES = 4 * 1024 * 1024;
const isPicture = ({ contentType, size }: StoredFile) =>
  size <= MAX_PICTURE_BYTES && /^image\/(png|jpeg|webp|gif)\b/.test(contentType);

/** The lines of a text, and both pictures of a picture. Undefined for any other file. */
function Difference({ id, path, from, to }: DifferenceProps) {
  const file = { path, from, to };
  // The files of the base and of the source may be in no version of the deck.
  if (isReadable(file)) return <TextChanges id={id} from={undefined} to={undefined} file={file} />;
  const about = `${factsOf(from)} → ${factsOf(to)}`;
  if (isPicture(from) && isPicture(to)) return <Pictures id={id} path={path} from={from} to={to} about={about} />;
  return (
    <>
      <bdi translate={false}>{path}</bdi>
      <span class="quiet small">{about}</span>
    </>
  );
}

/** Both pictures, which are loaded when the person opens them. */
function Pictures({ id, path, from, to, about }: DifferenceProps & { about: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <bdi translate={false}>{path}</bdi>
        <span class="quiet small">{about}</span>
      </summary>
      {isOpen && (
        <div class="pictures">
          <Picture id={id} file={from} name={said.before} />
          <Picture id={id} file={to} name={said.after} />
        </div>
      )}
    </details>
  );
}

function Picture({ id, file, name }: { id: string; file: StoredFile; name: string }) {
  const { data, failure, reload } = useLoaded(() => loadSourcePicture(id, file), [file.sha256]);
  return (
    <figure>
      <figcaption class="quiet small">{name}</figcaption>
      {data && <img src={data} alt={name} />}
      {data === null && <p class="small">{factsOf(file)}</p>}
      {data === undefined && !failure && <Skeleton label={words.shell.loading} lines={3} />}
      <FailureNotice failure={failure} onRetry={() => void reload()} />
    </figure>
  );
}
