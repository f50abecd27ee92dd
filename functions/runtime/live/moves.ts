import { functionsUrl } from './functions-url';
import { isSame, type LiveSlide, type State } from './session';

/** The least time between two moves that the service takes. */
const EVERY_MS = 1000;
const RETRY_MS = 2000;

interface Moved {
  taken: boolean;
  retryAfterMs: number | null;
  sequence: number;
  slide: LiveSlide | null;
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/**
 * Sends a move or a command. Undefined when the network or the service does not answer it; throws for an ended session.
 */
async function post(body: object): Promise<Moved | undefined> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(`${functionsUrl}/moveLiveSession`, init).catch(() => undefined);
  if (answer && answer.status < 500 && answer.status >= 400) throw new Error(`The move was refused: ${answer.status}.`);
  const { data } = ((await answer?.json().catch(() => undefined)) ?? {}) as { data?: Moved };
  return data;
}

export interface Moves {
  /** The last move that the service took, as far as this page knows it. */
  known: () => State;
  /** Takes a state of the stream. Returns its slide when it is another page that has moved. */
  hear: (state: State) => LiveSlide | undefined;
  /** Sends where this page is. `isByReader`: who presents has just moved it there. */
  send: (slide: LiveSlide, isByReader: boolean) => void;
}

/**
 * Sends the moves of a presenter: the first one at once, then one a second, the newest one always. Numbers go on after
 * the highest that any page of a presenter has reached, so moves after a reload, and of two windows, are in one order.
 */
export function startMoves(ticket: string): Moves {
  let known: State = { liveId: '', sequence: -1, slide: null };
  let newest: LiveSlide | undefined;
  let sent: State | undefined;
  let isSending = false;
  let isMoved = false;

  // A page whose title alone changes tells that it has slides, to which nobody can follow. A list of slides without
  // steps may become a show.
  const isAt = (slide: LiveSlide, place: LiveSlide | null) =>
    place !== null &&
    isSame(slide, place) &&
    slide.step === place.step &&
    (slide.title || null) === (place.title || null);
  const note = ({ sequence, slide }: Pick<State, 'sequence' | 'slide'>) => {
    if (sequence > known.sequence) known = { ...known, sequence, slide };
  };

  async function sendNewest(): Promise<void> {
    while (newest && !isAt(newest, known.slide)) {
      const slide = newest;
      const sequence = known.sequence + 1;
      sent = { ...known, sequence, slide };
      const moved = await post({ ticket, sequence, slide });
      if (moved) note(moved);
      if (moved?.taken && newest === slide) newest = undefined;
      // A move that is late was one of another page, or its answer was lost: what is newest now goes with the next
      // number.
      if (!moved || moved.taken || moved.retryAfterMs !== null)
        await pause(moved ? (moved.retryAfterMs ?? EVERY_MS) : RETRY_MS);
    }
    newest = undefined;
  }

  const start = () => {
    // Nothing is sent before the stream has told the last number.
    if (isSending || known.sequence < 0) return;
    isSending = true;
    sendNewest()
      .catch(() => {
        // The stream tells that the session has ended.
        newest = undefined;
      })
      .finally(() => {
        isSending = false;
      });
  };

  return {
    known: () => known,
    hear(state) {
      if (state.sequence <= known.sequence) return undefined;
      const isFirst = known.sequence < 0;
      known = state;
      const { slide } = state;
      const isOwn = slide && sent?.sequence === state.sequence && isSame(slide, sent.slide!);
      // A page that is opened again shows its first slide before it hears where the presenter is. A move of the reader
      // counts: a speaker view begins where the presenter is.
      if (isFirst && slide && !isMoved) newest = undefined;
      if (newest) start();
      else if (slide && !isOwn) return slide;
      return undefined;
    },
    send(slide, isByReader) {
      isMoved ||= isByReader;
      // What is on its way, and nothing after it, needs no second move.
      newest = isSending && !newest && isAt(slide, known.slide) ? undefined : slide;
      start();
    },
  };
}

/** Sends commands of a remote control, one after the other. `onAlone` is called when no page of a presenter is open. */
export function startCommands(ticket: string, onAlone: () => void): (command: 'next' | 'previous') => void {
  const waiting: string[] = [];
  let isSending = false;

  async function sendAll(): Promise<void> {
    for (let command = waiting[0]; command; command = waiting[0]) {
      const answer = await post({ ticket, sequence: Date.now(), command });
      if (answer && !answer.taken && answer.retryAfterMs !== null) await pause(answer.retryAfterMs);
      else waiting.shift();
    }
  }

  return (command) => {
    // A person who presses faster than this has lost the connection.
    if (waiting.length < 5) waiting.push(command);
    if (isSending) return;
    isSending = true;
    sendAll()
      .catch(onAlone)
      .finally(() => {
        waiting.length = 0;
        isSending = false;
      });
  };
}
