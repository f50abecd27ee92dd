import type { Destination } from 'deckhost-client/browser';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { forgetDraft } from '../draft';
import { isFailure, type Failure } from '../service';
import { FailureNotice } from '../ui/failure-notice';
import { toast } from '../ui/toast';
import { words } from '../words/en';
import { CheckForm, draftOf, type Chosen } from './check-form';
import { DropZone, type Given } from './drop-zone';
import { forgetInterrupted, interruptedName } from './interrupted';
import './push.css';
import { PushDone } from './push-done';
import { PushProgress } from './push-progress';
import { PushRun, type Pushed } from './run';

interface PushPanelProps {
  /** A new deck, or the deck and the version that the page shows: a newer one makes a conflict. */
  destination: Destination;
  /** Addresses that the page does not offer to copy: the links of mails to single people. */
  personalUrls?: readonly (string | null)[];
  onPushed?: (outcome: Pushed, chosen: Chosen) => void;
  /** Somebody has published this version meanwhile. */
  onConflict?: (current: number) => void;
}

type State =
  | { kind: 'empty'; failure?: unknown }
  | { kind: 'reading' }
  | { kind: 'ready'; dropped: Given; failed?: Chosen }
  | { kind: 'running'; dropped: Given; chosen: Chosen; run: PushRun }
  | { kind: 'failed'; dropped: Given; chosen: Chosen; failure: unknown }
  | { kind: 'done'; dropped: Given; chosen: Chosen; outcome: Pushed };

/** The way from files on a computer to a deck that is online. */
export function PushPanel({ destination, personalUrls = [], onPushed, onConflict }: PushPanelProps) {
  const [state, setState] = useState<State>({ kind: 'empty' });
  const empty = () => setState({ kind: 'empty' });

  const read = async (reading: Promise<Given>) => {
    setState({ kind: 'reading' });
    await reading.then(
      (dropped) => setState({ kind: 'ready', dropped }),
      (failure: unknown) => setState({ kind: 'empty', failure }),
    );
  };

  const publish = async (dropped: Given, chosen: Chosen, { force = false, isAgain = false } = {}) => {
    const run = new PushRun(dropped, destination, { ...chosen, force }, isAgain);
    setState({ kind: 'running', dropped, chosen, run });
    try {
      const outcome = await run.run();
      forgetDraft(draftOf(destination, dropped));
      setState({ kind: 'done', dropped, chosen, outcome });
      onPushed?.(outcome, chosen);
    } catch (failure) {
      if (!run.isCancelled) {
        if (isConflict(failure, destination)) onConflict?.(versionOf(failure));
        return setState({ kind: 'failed', dropped, chosen, failure });
      }
      toast(words.push.cancelled);
      setState({ kind: 'ready', dropped, ...(isAgain && { failed: chosen }) });
    }
  };

  const { kind } = state;
  useLayoutEffect(() => {
    // An upload that the lost connection ended goes on by itself.
    if (kind !== 'failed' || !isFailure(state.failure, 'unreachable')) return;
    const again = () => void publish(state.dropped, state.chosen, { isAgain: true });
    addEventListener('online', again, { once: true });
    return () => removeEventListener('online', again);
  }, [kind]);
  // A page that is left ends its upload, unless its version is being made.
  useEffect(() => (state.kind === 'running' ? () => state.run.cancel() : undefined), [kind]);

  if (kind === 'ready')
    return (
      <CheckForm
        dropped={state.dropped}
        destination={destination}
        onAgain={empty}
        // The run before the cancelled one may have made its version.
        onPublish={(chosen) =>
          void publish(state.dropped, chosen, { isAgain: !!state.failed && state.failed.entry === chosen.entry })
        }
      />
    );
  if (kind === 'running') return <PushProgress {...state} onCancel={() => state.run.cancel()} />;
  if (kind === 'done')
    return <PushDone {...state} destination={destination} personalUrls={personalUrls} onAgain={empty} />;
  if (kind === 'failed') {
    const { dropped, chosen, failure } = state;
    return (
      <div class="push-failed">
        {isConflict(failure, destination) ? (
          <Conflict current={versionOf(failure)} onForce={() => void publish(dropped, chosen, { force: true })} />
        ) : (
          <FailureNotice failure={reworded(failure)} onRetry={() => void publish(dropped, chosen, { isAgain: true })} />
        )}
        <button type="button" class="button" onClick={empty}>
          {words.push.again}
        </button>
      </div>
    );
  }
  return (
    <div class="push-empty">
      <Interrupted destination={destination} />
      <DropZone label={labelFor(destination)} isBusy={kind === 'reading'} onGiven={(reading) => void read(reading)} />
      <FailureNotice failure={kind === 'empty' && reworded(state.failure)} />
      {destination.kind === 'new-deck' && <WithoutSlides />}
    </div>
  );
}

/** Whether the device has a pointer with which people drag files. */
const canDrop = matchMedia('(hover: hover)').matches;

function labelFor({ kind }: Destination): string {
  if (!canDrop) return words.push.choose;
  return kind === 'deck' ? words.push.dropVersion : words.push.drop;
}

/** The way on for somebody who only wants to see how it works. */
function WithoutSlides() {
  const { noSlides, remixOne, whatIsADeck } = words.push;
  return (
    <p class="quiet">
      {noSlides} <a href="/marketplace">{remixOne}</a> · <a href="/docs/guides/browser">{whatIsADeck}</a>
    </p>
  );
}

/** Says that a reload has interrupted an upload, and how it goes on. */
function Interrupted({ destination }: Pick<PushPanelProps, 'destination'>) {
  const [name, setName] = useState(() => interruptedName(destination));
  if (name === undefined) return null;
  const forget = () => {
    forgetInterrupted();
    setName(undefined);
  };
  return (
    <div class="notice" role="status">
      <p>
        <strong>{words.push.interrupted(name)}</strong> {words.push.interruptedNext}
      </p>
      <button type="button" class="button small" onClick={forget}>
        {words.push.forget}
      </button>
    </div>
  );
}

const isConflict = (failure: unknown, destination: Destination): failure is Failure =>
  destination.kind === 'deck' && isFailure(failure, 'conflict') && 'serverVersion' in (failure.details ?? {});

const versionOf = ({ details }: Failure) => (details as { serverVersion: number }).serverVersion;

function Conflict({ current, onForce }: { current: number; onForce: () => void }) {
  return (
    <div role="alert" class="notice bad">
      <p>
        <strong>{words.push.conflict(current)}</strong> {words.push.conflictNext}
      </p>
      <button type="button" class="button small danger" onClick={onForce}>
        {words.push.force}
      </button>
    </div>
  );
}

/** The failures of the library name its arguments: the page says what a person can do here. */
function reworded(failure: unknown): unknown {
  if (!isFailure(failure)) return failure;
  const nextAction = words.push.failures[failure.code];
  if (nextAction === undefined) return failure;
  const { given, isSingle } = (failure.details ?? {}) as { given?: string; isSingle?: boolean };
  if (failure.code !== 'no-entry' || given === undefined) return failure.with({ nextAction });
  const { noPage, otherSlides } = words.push;
  const isOtherSlides = /\.(pptx?|ppsx?|key|odp)$/i.test(given);
  return failure.with({
    message: noPage(given, isSingle === true),
    nextAction: isOtherSlides ? `${otherSlides} ${nextAction}` : nextAction,
  });
}
