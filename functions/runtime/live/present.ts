import { attempt } from '../attempt';
import { showBadge } from './badge';
import { watchDeck } from './deck';
import { startCommands, startMoves } from './moves';
import { makeRemote } from './remote';
import { isSame, type Counts, type State } from './session';
import { openStream } from './stream';

/** How long the badge says that the session has ended. */
const SAID_MS = 10_000;
/** Where a tab keeps whether it is a remote control. */
const REMOTE = 'deck live remote';
/** The widest screen of a phone. */
const PHONE_PX = 700;

/** A phone is a remote control until its user wants to see the deck. */
function beginsAsRemote(): boolean {
  const kept = attempt(() => sessionStorage.getItem(REMOTE));
  return kept ? kept === 'yes' : matchMedia('(pointer: coarse)').matches && screen.width <= PHONE_PX;
}

/**
 * Presents with the ticket of whoever presents: tells where this deck is, does what remote controls ask, and follows
 * the other pages of presenters. Or it is such a remote control itself. `onEnd` is called when the session ends.
 */
export function present(ticket: string, onEnd: () => void): void {
  const moves = startMoves(ticket);
  const isLeader = leadership();
  let isOver = false;
  let isRemote = beginsAsRemote();
  let counts: Counts | undefined;

  const deck = watchDeck((slide, isByReader) => {
    const { slide: known } = moves.known();
    if (isOver || isRemote) return;
    if (isByReader || !known || !isSame(slide, known)) moves.send(slide, isByReader);
  });
  const badge = showBadge(() => isOver || setRemote(true));
  const remote = makeRemote(badge.root, {
    command: startCommands(ticket, () => remote.tellAlone()),
    showDeck: () => setRemote(false),
  });

  const wear = () => {
    const followers = counts?.followers ?? 0;
    const follow = followers === 1 ? '1 reader follows' : `${followers} readers follow`;
    badge.wear({ label: `Live · ${followers}`, hint: `You present. ${follow}. Press for a remote control.` });
    if (counts) remote.count(counts);
  };
  const showPlace = () => {
    const { slide } = moves.known();
    if (isRemote) remote.show(slide, slide ? deck.titleAt(slide.index + 1) : undefined);
    else if (slide) void deck.show(slide);
  };
  const receive = (name: string, data: Record<string, unknown>) => {
    if (name === 'state') {
      const slide = moves.hear(data as unknown as State);
      if (slide || isRemote) showPlace();
      // The session begins where this deck is.
      const now = deck.now();
      if (!isRemote && !moves.known().slide && now) moves.send(now, false);
    }
    if (name === 'command' && isLeader()) deck.walk(data['command'] === 'next' ? 1 : -1);
    if (name === 'followers') {
      counts = data as unknown as Counts;
      wear();
      // The deck below may have loaded its titles meanwhile.
      if (isRemote) showPlace();
    }
    if (name !== 'end' && name !== 'refused') return;
    isOver = true;
    remote.setShown(false);
    badge.wear({
      label: 'Live has ended',
      hint: 'The live session has ended. Nobody follows this deck any more.',
      isAway: true,
    });
    setTimeout(() => badge.remove(), SAID_MS);
    onEnd();
  };

  const setRemote = (isWanted: boolean) => {
    isRemote = isWanted;
    attempt(() => sessionStorage.setItem(REMOTE, isWanted ? 'yes' : 'no'));
    stream.close();
    stream = openStream(ticket, isRemote, receive);
    remote.setShown(isRemote);
    showPlace();
  };
  let stream = openStream(ticket, isRemote, receive);
  remote.setShown(isRemote);
  wear();
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
