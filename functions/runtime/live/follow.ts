import { showBadge } from './badge';
import { watchDeck } from './deck';
import { isSame, type State } from './session';
import { openStream, type Stream } from './stream';

const faces = {
  following: { label: 'Live', hint: 'You follow the presenter. Press to look around by yourself.' },
  away: {
    label: 'Return to live',
    hint: 'You look around by yourself. Press to return to the presenter.',
    isAway: true,
  },
  unable: {
    label: 'Live: this deck cannot follow',
    hint: 'The presenter moves on. Go through the slides by yourself.',
    isAway: true,
  },
};

/** How often a state is shown again. A tool that was not ready has not heard of it. */
const MORE_TRIES = 2;

/**
 * Follows a session with the ticket of the audience, until it ends or the reader lets go. `onEnd` is called when it
 * ends.
 */
export function follow(ticket: string, onTicket: (renewed: string) => void, onEnd: () => void): Stream {
  let known: State = { liveId: '', sequence: -1, slide: null };
  let isAway = false;
  let triesLeft = MORE_TRIES;

  const wear = (isShown = true) => badge.wear(isAway ? faces.away : isShown ? faces.following : faces.unable);
  const catchUp = async () => {
    const wanted = known;
    const { slide, sequence } = wanted;
    if (isAway || !slide) return;
    const isShown = await deck.show(slide);
    // A deck that shows its first slide may show the next ones in a way that is not known yet.
    if (wanted !== known || document.hidden) return;
    wear(isShown || sequence < 2);
    if (!isShown && triesLeft-- > 0) void catchUp();
  };
  const badge = showBadge(() => {
    isAway = !isAway;
    wear();
    void catchUp();
  });
  const deck = watchDeck((slide, isByReader) => {
    if (isAway || !isByReader || !known.slide || isSame(slide, known.slide)) return;
    isAway = true;
    wear();
  });
  // A hidden page may be too slow for its tool.
  const onShow = () => void (document.hidden || catchUp());
  addEventListener('visibilitychange', onShow, true);
  wear();

  const stream = openStream(ticket, false, (name, data) => {
    if (name === 'ticket') onTicket(data['ticket'] as string);
    if (name === 'state') {
      const state = data as unknown as State;
      // A state that arrives late takes nobody back. The numbers of another session begin anew.
      if (state.liveId === known.liveId && state.sequence <= known.sequence) return;
      known = state;
      triesLeft = MORE_TRIES;
      void catchUp();
    }
    if (name !== 'end') return;
    removeEventListener('visibilitychange', onShow, true);
    isAway = true;
    badge.remove();
    onEnd();
  });
  return stream;
}
