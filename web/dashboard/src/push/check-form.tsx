import {
  defaultTitle,
  findEntry,
  HEAD_BYTES,
  inspectFiles,
  type Destination,
  type Dropped,
} from 'deckhost-client/browser';
import { useEffect, useState } from 'preact/hooks';
import { useDraft } from '../draft';
import { formatBytes } from '../format';
import { service } from '../service';
import { FailureNotice } from '../ui/failure-notice';
import { Field } from '../ui/field';
import { useAction } from '../use-action';
import { useLoaded } from '../use-loaded';
import { words } from '../words/en';
import { mayReplace } from './missing-files';
import { Exceeded, Missing, Refused } from './problems';

export interface Chosen {
  entry?: string;
  title?: string;
  message?: string;
}

/** What a person has typed. */
type Typed = Pick<Chosen, 'title' | 'message'>;

interface CheckFormProps {
  dropped: Dropped;
  destination: Destination;
  onPublish: (chosen: Chosen) => void;
  onAgain: () => void;
}

/** The name of what a person has typed about these files. */
export const draftOf = (destination: Destination, { name }: Dropped) =>
  `publish ${destination.kind === 'deck' ? destination.presentationId : name}`;

/**
 * What will be published: the files that a deck cannot hold, the files against the plan, what the viewers will miss,
 * the title, and the page that opens first. What is typed stays until it is published.
 */
export function CheckForm({ dropped, destination, onPublish, onAgain }: CheckFormProps) {
  const isNew = destination.kind === 'new-deck';
  const pages = dropped.files.map(({ path }) => path).filter((path) => /\.x?html?$/i.test(path));
  const [entry, setEntry] = useState(() => likelyEntry(pages));
  const [found, setFound] = useState('');
  const draft = useDraft<Typed>(draftOf(destination, dropped), () => ({}));
  const { title = found, message = '' } = draft.value;
  const [isWithout, setWithout] = useState(false);
  const { data: inspection } = useLoaded(() => inspectFiles(service(), dropped.files, entry), [dropped, entry]);
  const { exceeded = [], warnings = [] } = inspection ?? {};
  const isBlocked = exceeded.length > 0 || (dropped.refused.length > 0 && !isWithout);
  useEffect(() => {
    let isStale = false;
    const page = dropped.files.find(({ path }) => path === entry)?.blob;
    void page
      ?.slice(0, HEAD_BYTES)
      .text()
      .then((head) => {
        if (!isStale) setFound(defaultTitle(head, dropped.name));
      }, console.error);
    return () => {
      isStale = true;
    };
  }, [dropped, entry]);
  const bytes = dropped.files.reduce((sum, { blob }) => sum + blob.size, 0);
  const [leaving] = useState(() => new AbortController());
  useEffect(() => () => leaving.abort(), []);
  const publishing = useAction(async () => {
    const isWanted = await mayReplace(destination, dropped, leaving.signal);
    if (!isWanted || leaving.signal.aborted) return;
    onPublish({ entry, ...(isNew ? { title: title.trim() || dropped.name } : message && { message }) });
  });
  return (
    <form
      class="card check-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBlocked) void publishing.run();
      }}
    >
      <div>
        <h2>{words.push.check(dropped.name)}</h2>
        <p class="quiet">{words.push.summary(dropped.files.length, formatBytes(bytes))}</p>
      </div>
      <Refused refused={dropped.refused} isWithout={isWithout} onWithout={setWithout} />
      <Exceeded exceeded={exceeded} />
      {isNew ? (
        <Field
          label={words.push.deckTitle}
          hint={words.push.deckTitleHint}
          value={title}
          onValue={(typed) => draft.set({ title: typed })}
          required
          maxLength={255}
          dir="auto"
          autocomplete="off"
        />
      ) : (
        <Field
          label={words.push.message}
          hint={words.push.messageHint}
          value={message}
          onValue={(typed) => draft.set({ message: typed })}
          maxLength={500}
          dir="auto"
          autocomplete="off"
        />
      )}
      {pages.length > 1 && (
        <label class="field">
          <span>{words.push.entry}</span>
          <select value={entry} onChange={(event) => setEntry(event.currentTarget.value)}>
            {pages.map((path) => (
              <option key={path}>{path}</option>
            ))}
          </select>
        </label>
      )}
      <Missing warnings={warnings} />
      <FailureNotice failure={publishing.failure} />
      <div class="actions">
        <button type="submit" class="button primary" aria-disabled={isBlocked || publishing.isBusy}>
          {isNew ? words.push.publish : words.push.publishVersion}
        </button>
        <button type="button" class="button" onClick={onAgain}>
          {words.push.again}
        </button>
      </div>
    </form>
  );
}

/** The page that a push would choose, or else the first one: the person may choose another. */
function likelyEntry(pages: readonly string[]): string {
  try {
    return findEntry(pages);
  } catch {
    return pages[0] ?? '';
  }
}
