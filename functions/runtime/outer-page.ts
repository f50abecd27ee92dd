import { attempt } from './attempt';
import type { Receiver } from './beacons';
import { isPrintKey, messageIn, send } from './messages';

/** How often the deck is looked at. No event tells that a script has changed the address. */
const INTERVAL_MS = 300;
const PRINT_KEY = { key: 'p', ctrlKey: true, bubbles: true, cancelable: true };

/**
 * Does what the page around the deck asks. `sendTo` takes the receiver that this page names for what the reader looks
 * at. Sends nothing to a page that has not asked: it may be another window of the
 * deck, such as a presenter's view, whose listeners do not know these messages.
 */
export function answerOuterPage(sendTo?: (to: Receiver) => void): void {
  let isTelling = false;
  let told = '';
  const tell = () =>
    attempt(() => {
      const { hash, search } = location;
      const { title } = document;
      const now = JSON.stringify([hash, search, title]);
      if (now === told) return;
      told = now;
      send(parent, { hash, search, title });
    });
  const startTelling = () => {
    if (!isTelling) {
      setInterval(tell, INTERVAL_MS);
      addEventListener('hashchange', tell);
    }
    isTelling = true;
    told = '';
    tell();
  };
  addEventListener('message', (event) =>
    attempt(() => {
      const asked = messageIn(event);
      if (!asked || event.source !== parent) return;
      // The deck may have listeners of its own, which do not know such messages.
      event.stopImmediatePropagation();
      if (asked['isHello'] === true) startTelling();
      const { url, ticket } = (asked['seen'] ?? {}) as Record<string, unknown>;
      // What a reader looks at is sent to the service that served the deck, whatever page is around it.
      if (typeof url === 'string' && typeof ticket === 'string' && new URL(url).origin === location.origin)
        sendTo?.({ url, ticket });
      // A deck that prints in its own way hears the key that the page around it has heard.
      const isFree = () => document.dispatchEvent(new KeyboardEvent('keydown', PRINT_KEY));
      if (asked['isPrint'] === true && isFree()) print();
      if (typeof asked['hash'] === 'string') goTo(asked['hash']);
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
