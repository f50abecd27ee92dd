import { attempt } from './attempt';
import { isPrintKey, messageIn, send } from './messages';

/** How often the deck is looked at. No event tells that a script has changed the address. */
const INTERVAL_MS = 300;

/** Tells the page around the deck its address and title, and does what the page asks. */
export function talkToOuterPage(): void {
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
  tell();
  setInterval(tell, INTERVAL_MS);
  addEventListener('hashchange', tell);
  addEventListener('message', (event) =>
    attempt(() => {
      const asked = messageIn(event);
      if (!asked) return;
      // The deck may have listeners of its own, which do not know such messages.
      event.stopImmediatePropagation();
      if (event.source !== parent) return;
      if (asked['isPrint'] === true) print();
      if (typeof asked['hash'] === 'string') goTo(asked['hash']);
    }),
  );
  addEventListener('keydown', (event) =>
    attempt(() => {
      if (!isPrintKey(event)) return;
      // The browser would print the page around the deck, with what the window shows of the deck.
      event.preventDefault();
      print();
    }),
  );
}

/** The browser's history has an entry for the new hash of the page around, so the deck's own entry is replaced. */
function goTo(hash: string): void {
  if (hash === location.hash || !/^(#|$)/.test(hash)) return;
  // The whole address: a relative one is resolved against the `base` element. Without a #, the page would load again.
  location.replace(location.href.replace(/(#.*)?$/s, () => hash || '#'));
}
