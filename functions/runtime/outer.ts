/** The script of the page around a deck. */
import { isPrintKey, messageIn, send } from './messages';

const MAX_ADDRESS = 2000;
const MAX_TITLE = 300;

// The frame is the text of a noscript element, so that its first request already has the hash of the page.
const text = document.querySelector('noscript')!;
const template = document.createElement('template');
template.innerHTML = text.textContent;
const frame = template.content.querySelector('iframe')!;
const { seen: url, ticket, live: follower } = text.parentElement!.dataset;
const seen = url && ticket ? { url, ticket } : undefined;

/** What the deck joins the live session with. A presenter who reloads the page stays one. */
let live = follower;
const PRESENTER = `live ${location.pathname}`;
const { hash: present } = location;
const isTicket = (hash: string) => hash.startsWith('#present=');
const isGiven = isTicket(present);
if (isGiven) history.replaceState(null, '', location.href.slice(0, -present.length));
try {
  if (isGiven) sessionStorage.setItem(PRESENTER, present);
  live = sessionStorage.getItem(PRESENTER) ?? live;
} catch {
  // A browser without storage presents until the page is reloaded.
  if (isGiven) live = present;
}
const isPresenter = live !== follower;
frame.src += location.hash;
text.replaceWith(frame);

// Key presses must reach the deck at once, and again when the viewer returns from another window or tab. The frame
// loses the focus when the deck's document replaces the empty one. No event reports that moment, so the script sets the
// focus until the load event.
const give = () => frame.contentWindow?.focus();
const giving = setInterval(give, 100);
frame.addEventListener('load', () => {
  clearInterval(giving);
  give();
  // A deck tells its address and title to a page that asks. Each document in the frame is asked once.
  if (frame.contentWindow) send(frame.contentWindow, { isHello: true, seen: isPresenter ? undefined : seen, live });
});
addEventListener('focus', () => setTimeout(give));

let hasRuntime = false;
const isText = (value: unknown, max: number): value is string => typeof value === 'string' && value.length <= max;

// Whoever is in the frame can send anything. It changes the title, the query but for what opens the deck, and the hash.
addEventListener('message', (event) => {
  const told = event.source === frame.contentWindow && messageIn(event);
  if (!told) return;
  hasRuntime = true;
  const { hash, search, title } = told;
  if (isText(told['live'], MAX_ADDRESS)) keep(told['live']);
  if (isText(title, MAX_TITLE) && title) document.title = title;
  if (isText(hash, MAX_ADDRESS) && isText(search, MAX_ADDRESS)) showAddress(search, hash);
});

/** Keeps what the next page of the deck joins with. Nothing is left of a session that has ended. */
function keep(next: string): void {
  live = next;
  if (!next) sessionStorage.removeItem(PRESENTER);
}

/** Shows the deck's query and hash in the address of the page, which keeps its token or grant. */
function showAddress(search: string, hash: string): void {
  const parameters = (text: string, isSecret: boolean) =>
    text.split(/[?&]/).filter((each) => each && /^(token|grant|gate)(=|$)/.test(each) === isSecret);
  const query = [...parameters(location.search, true), ...parameters(search.replace(/#.*/s, ''), false)].join('&');
  const address = new URL(location.href);
  address.search = query;
  address.hash = hash;
  if (address.href === location.href) return;
  try {
    history.replaceState(null, '', address);
  } catch {
    // Browsers refuse too many changes in a short time.
  }
}

addEventListener('hashchange', () => {
  // Whoever opens the address of the presenter in the tab of a reader presents. The deck does not learn the ticket.
  if (isTicket(location.hash)) return location.reload();
  if (frame.contentWindow) send(frame.contentWindow, { hash: location.hash });
});
addEventListener('keydown', (event) => {
  if (!hasRuntime || !frame.contentWindow || !isPrintKey(event)) return;
  event.preventDefault();
  send(frame.contentWindow, { isPrint: true });
});
