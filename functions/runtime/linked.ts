/** The script of decks on origins of their own. */
import { attempt } from './attempt';
import { joinFrom, PRESENTER } from './join';
import { observe } from './seen';
import { start } from './start';

/**
 * The hash of an address for whoever presents. It is taken out of the address before a script of the deck runs: it has
 * the ticket that moves the audience. The tab keeps it, so that a presenter who reloads the page stays one.
 */
function takePresenter(): string | undefined {
  const { hash, href } = location;
  if (hash.startsWith('#present=')) {
    history.replaceState(history.state, '', href.slice(0, -hash.length));
    sessionStorage.setItem(PRESENTER, hash);
  }
  return sessionStorage.getItem(PRESENTER) ?? undefined;
}

// A frame within the deck, such as one of a speaker view, neither counts nor follows.
const isTop = attempt(() => top === self);
const presenter = isTop && attempt(takePresenter);
const { seen, live } = (isTop && attempt(() => ({ ...document.currentScript!.dataset }))) || {};
// The addresses are whole ones: the `base` element of the deck may lead to another site.
const join = joinFrom(() => `${location.origin}/_deck/live.js`);

start();
// Two imports may end in any order.
const tickets = [presenter, live].filter(Boolean).join(' ');
if (tickets) attempt(() => join(tickets));
// Whoever presents is no reader.
if (seen !== undefined && !presenter) attempt(() => observe(join)({ url: `${location.origin}/_deck/seen` }));
