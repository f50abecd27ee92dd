/**
 * The script of the page of a listing. It counts a view for each session of a browser, gives and takes back the star of
 * a reader who signed in at the dashboard, leads the owner to the dashboard, copies texts, and names the reader. The
 * page hides what needs the script.
 */
import { enableCopy } from './copy';
import { nameReader } from './reader';
import { say } from './say';
import { keptSession } from './session';

const { slug = '', url = '' } = document.currentScript!.dataset;
/** Tells that the reader pressed the star and was led to the sign-in. A link from elsewhere cannot set it. */
const WANTED = `star ${slug}`;

/** The envelope of an answer. */
interface Answered<Data> {
  data?: Data;
  error?: { message: string };
}

const post = (name: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/${name}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ slug }),
  });

try {
  if (!sessionStorage.getItem(`viewed ${slug}`)) {
    sessionStorage.setItem(`viewed ${slug}`, 'yes');
    post('recordMarketplaceView')
      .then((answer) => answer.text())
      .catch(() => {});
  }
} catch {
  // A browser without sessionStorage does not count.
}

/** The headers of a caller who signed in at the dashboard. Undefined without a live session. */
async function signedIn(): Promise<Record<string, string> | undefined> {
  const { binder } = keptSession();
  if (!binder) return undefined;
  const headers = { 'Content-Type': 'application/json', 'X-Dashboard-Binder': binder };
  const answer = await fetch('/dashboardSession', { method: 'POST', headers, body: '{}' });
  if (answer.status === 401) return undefined;
  const { data } = (await answer.json()) as Answered<{ sessionToken: string }>;
  if (!data) throw new Error(`The session was not renewed: ${answer.status}.`);
  return { Authorization: `Bearer ${data.sessionToken}` };
}

/** Whether the reader pressed the star before the sign-in. It is asked once: a visit without a session forgets it. */
function wasWanted(): boolean {
  try {
    const isWanted = sessionStorage.getItem(WANTED) !== null;
    sessionStorage.removeItem(WANTED);
    return isWanted;
  } catch {
    return false;
  }
}

/** Leads to the sign-in. After it the page gives the star. */
function signIn(): void {
  try {
    sessionStorage.setItem(WANTED, 'yes');
  } catch {
    // The reader presses the star again.
  }
  location.assign(`/dashboard/sign-in?next=${encodeURIComponent(location.pathname)}`);
}

/** What a reader with a session learns about the listing. */
interface Seen {
  isStarred: boolean | null;
  stars: number;
  /** For the owner only. */
  presentationId?: string;
}

/** Leads the owner to the page that changes the listing. */
function offerEdit(presentationId: string): void {
  const link = document.querySelector<HTMLAnchorElement>('#edit')!;
  link.href = `/dashboard/decks/${encodeURIComponent(presentationId)}/marketplace`;
  link.classList.remove('unseen');
}

function enableStar(star: HTMLButtonElement): void {
  const counted = document.getElementById('stars')!;
  const isPressed = () => star.getAttribute('aria-pressed') === 'true';
  const show = (isStarred: boolean, stars: number) => {
    star.setAttribute('aria-pressed', String(isStarred));
    counted.textContent =
      stars === 0 ? '' : `${new Intl.NumberFormat('en').format(stars)} ${stars === 1 ? 'star' : 'stars'}`;
  };

  let isBusy = false;
  const change = async (name: 'starMarketplaceListing' | 'unstarMarketplaceListing') => {
    if (isBusy) return;
    isBusy = true;
    try {
      const caller = await signedIn();
      if (!caller) return signIn();
      const answer = await post(name, caller);
      if (answer.status === 401) return signIn();
      const { data, error } = (await answer.json()) as Answered<{ starred: boolean; stars: number }>;
      if (!data) return say(error?.message ?? 'Your star was not saved. Try again.');
      show(data.starred, data.stars);
      say('');
    } catch {
      say('Your star was not saved: the service was not reached. Try again.');
    } finally {
      isBusy = false;
    }
  };
  star.addEventListener('click', () => change(isPressed() ? 'unstarMarketplaceListing' : 'starMarketplaceListing'));
  star.hidden = false;

  const look = async () => {
    const headers = await signedIn();
    if (!headers) return;
    const answer = await fetch(`${url}/getMarketplaceListing/${slug}`, { headers });
    const { data } = (await answer.json()) as Answered<Seen>;
    if (!data) return;
    show(data.isStarred === true, data.stars);
    if (data.presentationId) offerEdit(data.presentationId);
  };
  // A second star changes nothing, so that a reader who gave one long ago keeps it.
  const given = wasWanted() && keptSession().binder ? change('starMarketplaceListing') : Promise.resolve();
  given.then(look).catch(() => {});
}

/** Shows the buttons of the page that are hidden. */
function enable(): void {
  const star = document.querySelector<HTMLButtonElement>('#star[hidden]');
  if (star) enableStar(star);
  enableCopy();
}

nameReader();
// The script stands behind the first buttons, which therefore are there when the page is painted for the first time.
enable();
addEventListener('DOMContentLoaded', enable);
