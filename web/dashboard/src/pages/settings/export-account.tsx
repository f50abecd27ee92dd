import { useEffect } from 'preact/hooks';
import { formatBytes } from '../../format';
import { service, type Answer } from '../../service';
import { FailureNotice } from '../../ui/failure-notice';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { useAction } from '../../use-action';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';
import { ConfirmByCode } from './confirm-by-code';

type Export = Answer<'getAccountExport'>;
type Part = Export['parts'][number];

/** How often the progress is asked for, in milliseconds. */
const POLL_MS = 5_000;

const latest = (signal?: AbortSignal) => service().get('getAccountExport', { exportId: 'latest' }, { signal });

/** Everything that the account has, as ZIP files: asked for with a code, made by a job, downloaded in parts. */
export function ExportAccount({ email }: { email: string }) {
  const said = words.settings.exporting;
  const { data, failure, isLoading, reload } = useLoaded<Export>(latest);
  const isMade = data?.status === 'waiting' || data?.status === 'running';
  useEffect(() => {
    if (!isMade || isLoading) return;
    const timer = setTimeout(() => void reload({ isQuiet: true }), POLL_MS);
    return () => clearTimeout(timer);
  }, [isMade, isLoading]);
  return (
    <section class="card" aria-labelledby="export" aria-busy={data === undefined && failure === undefined}>
      <div>
        <h2 id="export">{said.title}</h2>
        <p class="quiet">{said.about}</p>
      </div>
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {data?.status === 'failed' && <p class="notice bad">{said.failed}</p>}
      {(data?.status === 'none' || data?.status === 'failed') && (
        <Request email={email} onAsked={() => void reload()} />
      )}
      {isMade && <Progress {...data} />}
      {data?.status === 'ready' && <Parts {...data} onGone={() => reload()} />}
    </section>
  );
}

/** Asks for the export: a code from the mailbox shows that the person is there, and not only the device. */
function Request({ email, onAsked }: { email: string; onAsked: () => void }) {
  const said = words.settings.exporting;
  return (
    <ConfirmByCode
      request={{ purpose: 'export' }}
      email={email}
      send={said.sendCode}
      act={said.start}
      onCodes={async ({ code, requestToken }) => {
        await service().post('exportAccount', { code, requestToken }, { canRepeat: false });
        onAsked();
      }}
    />
  );
}

function Progress({ status, progress: { decks, decksInAll, files, bytes } }: Export) {
  const said = words.settings.exporting;
  return (
    <div role="status">
      <p>{status === 'waiting' ? said.waiting : said.progress(decks, decksInAll, files, formatBytes(bytes))}</p>
      <progress aria-label={said.title} max={Math.max(1, decksInAll)} value={Math.min(decks, decksInAll)} />
      <p class="quiet">{said.leave}</p>
    </div>
  );
}

function Parts({ requestedAt, expiresAt, parts, onGone }: Export & { onGone: () => Promise<void> }) {
  const said = words.settings.exporting;
  // The addresses that came with the page hold for 10 minutes.
  const downloading = useAction(async ({ part: wanted }: Part) => {
    const fresh = await latest();
    const found = fresh.parts.find(({ part }) => part === wanted);
    if (!found) return onGone();
    location.assign(found.url);
  });
  return (
    <>
      <p>
        {requestedAt && (
          <>
            {said.made} <Time iso={requestedAt} />.{' '}
          </>
        )}
        {expiresAt && (
          <>
            {said.until} <Time iso={expiresAt} />.
          </>
        )}{' '}
        {said.open}
      </p>
      <FailureNotice failure={downloading.failure} />
      <Table
        caption={said.parts}
        rows={parts}
        keyOf={({ fileName }) => fileName}
        columns={[
          { title: said.part, isName: true, cell: ({ fileName }) => fileName },
          { title: said.size, cell: ({ sizeBytes }) => formatBytes(sizeBytes) },
          { title: said.checksum, cell: ({ sha256 }) => <code title={sha256}>{sha256.slice(0, 12)}…</code> },
          {
            title: said.download,
            isQuiet: true,
            cell: (part) => (
              <div class="actions">
                <button
                  type="button"
                  class="button small"
                  aria-label={said.downloadPart(part.fileName)}
                  aria-disabled={downloading.isBusy}
                  onClick={() => void downloading.run(part)}
                >
                  {said.download}
                </button>
              </div>
            ),
          },
        ]}
      />
    </>
  );
}
