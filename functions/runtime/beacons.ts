const MAX_BEACONS = 40;
/** The server takes 16 KB. */
const MAX_BYTES = 16_000;
/** What a browser sends for a page that it leaves, 64 KB, is enough for this many beacons at once. */
const MAX_AT_ONCE = 3;

/** Where the beacons of a page go to. */
export interface Receiver {
  url: string;
  /** Names the view, where no cookie does. */
  ticket?: string;
}

/** What the reader did in this load of the page. */
export interface Load {
  /** Active seconds. */
  seconds: number;
  hasInput: boolean;
  slideCount: number | null;
  /** The key of the slide that is shown. */
  current: string | null;
}

/** What the reader saw of a slide in this load. */
export interface SeenSlide {
  key: string;
  title: string;
  index: number;
  /** Active seconds. */
  seconds: number;
  visits: number;
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/**
 * Sends the load, and the slides that the server does not have as they are now. Sends nothing when it has everything,
 * and never more than 40 beacons. All values are totals, so a beacon that is lost costs nothing: the next one has them.
 * `join` gets the ticket of the live session that an answer names.
 */
export function startBeacons(join: (ticket: string) => void): {
  sendChanged: (to: Receiver, load: Load, slides: SeenSlide[]) => void;
  /** Asks for the live session alone. */
  ask: (of: Receiver) => void;
} {
  // The deck may replace it later.
  const fetched = fetch.bind(self);
  /** Resolves with whether the server has taken the body. */
  const post = (url: string, body: object) =>
    fetched(url, { method: 'POST', body: JSON.stringify(body), keepalive: true })
      .then(({ ok, headers }) => {
        const live = headers.get('Deck-Live');
        if (live) join(live);
        return ok;
      })
      .catch(() => false);
  const loadId = Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => (byte % 36).toString(36)).join('');
  let sequence = 0;
  /** What the server has or is about to get: of the load, and of each slide by its key. */
  let loadThere = '';
  const there = new Map<string, string>();

  const send = ({ url, ticket }: Receiver, load: Load, slides: SeenSlide[]) => {
    loadThere = JSON.stringify(load);
    for (const slide of slides) there.set(slide.key, JSON.stringify(slide));
    void post(url, { ticket, loadId, sequence, ...load, slides }).then((isTaken) => {
      if (isTaken) return;
      loadThere = '';
      for (const { key } of slides) there.delete(key);
    });
  };

  const sendChanged = (to: Receiver, load: Load, slides: SeenSlide[]) => {
    const left = slides.filter((slide) => there.get(slide.key) !== JSON.stringify(slide));
    if (left.length === 0 && JSON.stringify(load) === loadThere) return;
    for (let times = 0; times < MAX_AT_ONCE && sequence < MAX_BEACONS; times++) {
      sequence++;
      let room = MAX_BYTES - bytesOf(JSON.stringify({ ...to, loadId, sequence, ...load }));
      const fitting = left.findIndex((slide) => (room -= bytesOf(JSON.stringify(slide)) + 1) < 0);
      send(to, load, left.splice(0, fitting < 0 ? left.length : fitting));
      if (left.length === 0) return;
    }
  };
  return { sendChanged, ask: (of) => void post(of.url, of) };
}
