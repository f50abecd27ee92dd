import { attempt } from './attempt';
import type { Receiver } from './beacons';
import { isPrintKey, messageIn, send } from './messages';

/** How often the deck is looked at. No event tells that a script has changed the address. */
const INTERVAL_MS = 300;
const PRINT_KEY = { key: 'p', ctrlKey: true, bubbles: true, cancelable: true };

/**
 * Does what the page around the deck asks. `sendTo` takes the receiver that this page names for what the reader looks
 * at, and `join` the ticket of a live session. Sends nothing to a page that has not asked: it may be another window of
 * the deck, such as a presenter's view, whose listeners do not know these messages.
 */
export function answerOuterPage(sendTo?: (to: Receiver) => void, join?: (ticket: string) => void): void {
  let telling: ReturnType<typeof setInterval> | undefined;
  let told = '';
  const tell = () =>
    attempt(() => {
      const now = { hash: location.hash, search: location.search, title: document.title };
      const text = JSON.stringify(now);
      if (text !== told) send(parent, now);
      told = text;
    });
  addEventListener('message', (event) =>
    attempt(() => {
      const asked = messageIn(event);
      if (!asked || event.source !== parent) return;
      // The deck may have listeners of its own, which do not know such messages.
      event.stopImmediatePropagation();
      if (asked['isHello']) {
        clearInterval(telling);
        telling = setInterval(tell, INTERVAL_MS);
        addEventListener('hashchange', tell);
        told = '';
        tell();
      }
      if (asked['live']) join?.(asked['live'] as string);
      // A deck that prints in its own way hears the key that the page around it has heard.
      if (asked['isPrint'] && document.dispatchEvent(new KeyboardEvent('keydown', PRINT_KEY))) print();
      if (typeof asked['hash'] === 'string') goTo(asked['hash']);
      // What a reader looks at is sent to the service that served the deck, whatever page is around it.
      const seen = asked['seen'] as Receiver;
      if (seen.ticket && new URL(seen.url).origin === location.origin) sendTo?.(seen);
    }),
  );
  const printUnlessUsed = (event: KeyboardEvent) =>
    attempt(() => {
      if (!isPrintKey(event)) return;
      // The browser would print the page around the deck, with what the window shows of the deck.
      event.preventDefault();
      print();
    });
  // It is added at each key, to hear the key after all listeners of the deck.
  addEventListener('keydown', () => addEventListener('keydown', printUnlessUsed, { once: true }), true);
}

/** The browser's history has an entry for the new hash of the page around, so the deck's own entry is replaced. */
function goTo(hash: string): void {
  if (hash === location.hash || !/^(#|$)/.test(hash)) return;
  // The whole address: a relative one is resolved against the `base` element. Without a #, the page would load again.
  location.replace(location.href.replace(/(#.*)?$/s, () => hash || '#'));
}
