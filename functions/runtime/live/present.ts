import { attempt } from '../attempt';
import { showBadge } from './badge';
import { watchDeck } from './deck';
import { startMoves } from './moves';
import { isSame, type Counts, type State } from './session';
import { openStream } from './stream';

/** How long the badge says that the session has ended. */
const SAID_MS = 10_000;

/**
 * Presents with the ticket of whoever presents: tells where this deck is, does what remote controls ask, and follows the
 * other pages of presenters. `onEnd` is called when the session ends.
 */
export function present(ticket: string, onEnd: () => void): void {
  const moves = startMoves(ticket);
  let isOver = false;
  let counts: Counts | undefined;
  const isLeader = leadership();

  const deck = watchDeck((slide, isByReader) => {
    const { slide: known } = moves.known();
    if (!isOver && (isByReader || !known || !isSame(slide, known))) moves.send(slide);
  });
  const badge = showBadge(() => {});
  const wear = () => {
    const followers = counts?.followers ?? 0;
    badge.wear({
      label: `Live · ${followers}`,
      hint: `You present. ${followers === 1 ? '1 reader follows' : `${followers} readers follow`}.`,
    });
  };
  wear();

  openStream(ticket, false, (name, data) => {
    if (name === 'state') {
      const slide = moves.hear(data as unknown as State);
      if (slide) void deck.show(slide);
      // The session begins where this deck is.
      const now = deck.now();
      if (!moves.known().slide && now) moves.send(now);
    }
    if (name === 'command' && isLeader()) deck.walk(data['command'] === 'next' ? 1 : -1);
    if (name === 'followers') {
      counts = data as unknown as Counts;
      wear();
    }
    if (name !== 'end' && name !== 'refused') return;
    isOver = true;
    badge.wear({
      label: 'Live has ended',
      hint: 'The live session has ended. Nobody follows this deck any more.',
      isAway: true,
    });
    setTimeout(() => badge.remove(), SAID_MS);
    onEnd();
  });
}

/**
 * Whether this window does what a remote control asks. Windows of one browser, such as those of a tool's own speaker
 * view, move together by themselves: one of them is enough.
 */
function leadership(): () => boolean {
  let isLeader = false;
  const isHeld = attempt(() => {
    void navigator.locks
      .request('deck live', () => {
        isLeader = true;
        return new Promise(() => {});
      })
      .catch(() => {
        isLeader = true;
      });
    return true;
  });
  return () => isLeader || !isHeld;
}
