import type { Destination } from 'deckhost-client/browser';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { CommandStrip, quoted } from '../ui/command-strip';
import { CopyButton } from '../ui/copy-button';
import { words } from '../words/en';
import type { Chosen } from './check-form';
import type { Given } from './drop-zone';
import { Missing } from './problems';
import type { Pushed } from './run';

interface PushDoneProps {
  outcome: Pushed;
  chosen: Chosen;
  dropped: Given;
  destination: Destination;
  personalUrls: readonly (string | null)[];
  onAgain: () => void;
}

/** What was published, and its link. */
export function PushDone({ outcome, chosen, dropped, destination, personalUrls, onAgain }: PushDoneProps) {
  const { status, version, shareUrl, presentationId, warnings } = outcome;
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  const isNew = destination.kind === 'new-deck';
  return (
    <section class="card push-done">
      <h2 ref={heading} tabIndex={-1}>
        {status === 'unchanged' ? words.push.unchanged(version) : words.push.done(version)}
      </h2>
      {shareUrl && !personalUrls.includes(shareUrl) && (
        <div class="link">
          <label class="field">
            <span>{words.push.link}</span>
            <input readOnly value={shareUrl} onFocus={(event) => event.currentTarget.select()} />
          </label>
          <CopyButton text={shareUrl} label={words.push.copyLink} said={words.shell.linkCopied} isPrimary />
          <a class="button" href={shareUrl} target="_blank" rel="noreferrer">
            {words.push.open}
          </a>
        </div>
      )}
      {shareUrl && isNew && <p class="quiet">{words.push.linkHint}</p>}
      <Missing warnings={warnings} />
      <div class="actions">
        {isNew && (
          <a class="button" href={`/dashboard/decks/${encodeURIComponent(presentationId)}`}>
            {words.push.toDeck}
          </a>
        )}
        <button type="button" class="button" onClick={onAgain}>
          {isNew ? words.push.another : words.push.again}
        </button>
      </div>
      {dropped.source !== undefined && <CommandStrip command={commandOf(dropped.source, destination, chosen)} />}
    </section>
  );
}

/** The same push from a terminal, of the folder or file as it lies on the computer. */
function commandOf(source: string, destination: Destination, { entry, title, message }: Chosen): string {
  const deck = destination.kind === 'deck' ? ['--deck', destination.presentationId] : [];
  const options = { '--title': title, '--entry': entry, '--message': message };
  const given = Object.entries(options).flatMap(([option, value]) => (value ? [option, value] : []));
  return ['deck push', `./${quoted(source)}`, ...[...deck, ...given].map(quoted)].join(' ');
}
