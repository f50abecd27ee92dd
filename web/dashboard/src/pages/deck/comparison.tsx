import { formatBytes } from '../../format';
import { service, type Answer } from '../../service';
import { CommandStrip } from '../../ui/command-strip';
import { Dialog } from '../../ui/dialog';
import { FailureNotice } from '../../ui/failure-notice';
import { useLoaded } from '../../use-loaded';
import { Skeleton } from '../../ui/skeleton';
import { isolated } from '../../isolated';
import { words } from '../../words/en';
import { FileGroup } from './file-group';
import { SideBySide } from './side-by-side';
import { SlideChanges } from './slide-changes';
import { isReadable, TextChanges } from './text-changes';

interface ComparisonProps {
  id: string;
  from: number;
  to: number;
  onClose: () => void;
}

/** Two versions side by side, and the slides and files that differ between them. */
export function Comparison({ id, from, to, onClose }: ComparisonProps) {
  const input = { presentationId: id, from: String(from), to: String(to) };
  const { data, failure, reload } = useLoaded(
    (signal) => service().get('diffPresentationVersions', input, { signal }),
    [id, from, to],
  );
  const { changes, comparing } = words.deckVersions;
  return (
    <Dialog title={changes(from, to)} onClose={onClose} isWide>
      <SideBySide id={id} from={from} to={to} />
      <div class="comparison" aria-busy={!data && !failure}>
        <SlideChanges id={id} from={from} to={to} />
        {!data && !failure && <Skeleton label={comparing} lines={3} />}
        {data && <Files id={id} diff={data} />}
      </div>
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      <CommandStrip
        command={`deck diff ${from} ${to} --deck ${id}`}
        call={{ name: 'diffPresentationVersions', method: 'GET', input }}
      />
    </Dialog>
  );
}

function Files({ id, diff }: { id: string; diff: Answer<'diffPresentationVersions'> }) {
  const { from, to, added, changed, removed, renamed, unchanged } = diff;
  const said = words.deckVersions;
  const isSame = added.length + changed.length + removed.length + renamed.length === 0;
  return (
    <>
      {isSame && <p>{said.same}</p>}
      <FileGroup name={said.added} mark="added" rows={added.map(({ path, size }) => [path, formatBytes(size)])} />
      <FileGroup
        name={said.changed}
        mark="changed"
        rows={changed.map((file) => [
          file.path,
          said.sizes(file.from.size, file.to.size),
          isReadable(file) && <TextChanges id={id} from={from} to={to} file={file} />,
        ])}
      />
      <FileGroup
        name={said.renamed}
        mark="changed"
        rows={renamed.map((file) => [`${isolated(file.from)} → ${isolated(file.to)}`, formatBytes(file.size)])}
      />
      <FileGroup name={said.removed} mark="removed" rows={removed.map(({ path, size }) => [path, formatBytes(size)])} />
      {unchanged > 0 && <p class="quiet small">{said.unchanged(unchanged)}</p>}
    </>
  );
}
