import { setTimeout as pause } from 'node:timers/promises';
import { isFailure } from '../../../client/src/failure';
import { count, plain } from '../../../client/src/format';
import type { DeckService } from '../../../client/src/service/service';
import { shorten } from '../columns';
import { exitCodeOf, exitCodes } from '../exit-code';
import { listenToKeys } from '../keyboard';
import { openOrWarn } from '../open-in-browser';
import type { Terminal } from '../terminal';
import { readLive, Remote, type LiveCommand, type LiveState, type StartedLive } from '../verbs/live';

/** How often the state of the session is read, in milliseconds. */
const LOOK_MS = 1000;

const commandOfKey: Readonly<Record<string, LiveCommand>> = {
  n: 'next',
  space: 'next',
  right: 'next',
  down: 'next',
  pagedown: 'next',
  p: 'previous',
  left: 'previous',
  up: 'previous',
  pageup: 'previous',
};

/**
 * Shows where a live session is, and moves it by keys. Resolves with true when the session has ended, and with false
 * when the user leaves.
 */
export async function steerLive(
  service: DeckService,
  { presentationId, started, state }: { presentationId: string; started: StartedLive; state: LiveState | undefined },
  terminal: Terminal,
): Promise<boolean> {
  const { presenterUrl, liveId } = started;
  const remote = new Remote(service, started);
  const left = new AbortController();
  const show = (line: string) => left.signal.aborted || terminal.status(shorten(line, terminal.width - 1));
  const say = (found: LiveState) => show(placeOf(found));

  const press = async (name: string): Promise<void> => {
    if (name === 'q') return left.abort();
    if (name === 'o') return void (await openOrWarn(presenterUrl, terminal));
    const command = commandOfKey[name];
    const outcome = command && (await remote.send(command));
    if (outcome === 'alone') show(ALONE);
  };
  terminal.say(terminal.colors.dim("n next · p previous · o open the presenter's link · q leave"));
  // The next look at the session tells of what was not sent.
  const stop = listenToKeys((name) => void press(name).catch(() => undefined));
  if (state) say(state);
  try {
    while (!left.signal.aborted) {
      await pause(LOOK_MS, undefined, { signal: left.signal }).catch(() => undefined);
      if (left.signal.aborted) break;
      const found = await look(service, presentationId, left.signal);
      if (found === 'not answered') show('The service does not answer; trying again …');
      else if (found?.liveId !== liveId) return true;
      else say(found);
    }
    return false;
  } finally {
    stop();
    terminal.clear();
  }
}

/** The session. A lost connection does not end the command, because the page that presents may have another one. */
async function look(
  service: DeckService,
  presentationId: string,
  signal: AbortSignal,
): Promise<LiveState | undefined | 'not answered'> {
  try {
    return await readLive(service, { presentationId }, signal);
  } catch (error) {
    if (signal.aborted) return 'not answered';
    const exitCode = isFailure(error) ? exitCodeOf(error) : undefined;
    if (exitCode === exitCodes.network || exitCode === exitCodes.fault) return 'not answered';
    throw error;
  }
}

const ALONE = "No page presents: open the presenter's link.";

/** Where the session is, and how many follow. */
function placeOf({ slide, hasPresenter, followers }: LiveState): string {
  const follow = `${count(followers, 'reader')} ${followers === 1 ? 'follows' : 'follow'}`;
  if (!hasPresenter) return `${ALONE} ${follow}`;
  if (!slide) return follow;
  const of = slide.count === null ? '' : ` of ${slide.count}`;
  return `Slide ${slide.index + 1}${of}${slide.title ? `: ${plain(slide.title)}` : ''} · ${follow}`;
}
