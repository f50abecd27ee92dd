import { useState } from 'preact/hooks';
import { readFile } from '../../deck-picture/load';
import { Failure, type Answer } from '../../service';
import { FailureNotice } from '../../ui/failure-notice';
import { Skeleton } from '../../ui/skeleton';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';

type Changed = Answer<'diffPresentationVersions'>['changed'][number];

interface TextChangesProps {
  id: string;
  /** The version of each file. Undefined for a file that the deck needs to merge with the source of a remix. */
  from: number | undefined;
  to: number | undefined;
  file: Changed;
}

/** Larger files, and longer lines, are made by tools: nobody reads their lines. */
const MAX_BYTES = 512 * 1024;
const MAX_LINE = 500;
const MAX_LINES = 1000;
/** A comparison of files without a common line would keep the page busy. */
const PATIENCE_MS = 2000;

/** Whether a person can read how the file has changed. */
export const isReadable = ({ from, to }: Changed) =>
  [from, to].every(
    ({ contentType, size }) =>
      size <= MAX_BYTES && /^(text\/|image\/svg|application\/([\w.+-]*(json|javascript|xml|yaml)))/i.test(contentType),
  );

/** A changed file of text. Its lines are read and compared when the person opens it. */
export function TextChanges(props: TextChangesProps) {
  const [isOpen, setOpen] = useState(false);
  const { path, from, to } = props.file;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <bdi translate={false}>{path}</bdi>
        <span class="quiet small">{words.deckVersions.sizes(from.size, to.size)}</span>
      </summary>
      {isOpen && <Lines {...props} />}
    </details>
  );
}

function Lines({ id, from, to, file }: TextChangesProps) {
  const { data, failure, reload } = useLoaded(() => linesOf(id, { from, to, file }), [id, from, to, file.path]);
  const { comparing, sameLines, moreLines } = words.deckVersions;
  return (
    <>
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      {!data && !failure && <Skeleton label={comparing} lines={3} />}
      {data?.length === 0 && <p class="quiet small">{sameLines}</p>}
      {data && data.length > 0 && (
        <pre class="lines" tabIndex={0} dir="ltr" translate={false}>
          {data.slice(0, MAX_LINES).map((line, i) => (
            <span key={i} class={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined}>
              {`${line.slice(0, MAX_LINE)}${line.length > MAX_LINE ? '…' : ''}\n`}
            </span>
          ))}
        </pre>
      )}
      {data && data.length > MAX_LINES && <p class="quiet small">{moreLines(data.length - MAX_LINES)}</p>}
    </>
  );
}

/** The lines that differ with those around them, each behind `+`, `-` or a space, as `diff -u` writes them. */
async function linesOf(id: string, { from, to, file }: Omit<TextChangesProps, 'id'>): Promise<string[]> {
  const textOf = async (version: number | undefined, of: Changed['from']) =>
    new Blob(await readFile(id, version, of)).text();
  const [older, newer, { structuredPatch }] = await Promise.all([
    textOf(from, file.from),
    textOf(to, file.to),
    import('diff'),
  ]);
  const found = structuredPatch(file.path, file.path, older, newer, '', '', { context: 3, timeout: PATIENCE_MS });
  if (!found) throw new Failure(words.deckVersions.tooDifferent, { code: 'too-different' });
  return found.hunks.flatMap(({ oldStart, newStart, lines }) => [
    words.deckVersions.line(oldStart, newStart),
    // The mark of a missing line break at the end of a file.
    ...lines.filter((line) => !line.startsWith('\\')),
  ]);
}
