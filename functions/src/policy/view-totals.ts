import { normalizeText, textProblems } from '../values/human-text';
import { KB } from '../values/units';

/**
 * What the beacons of the loads of one view tell, and how a further beacon changes it. Beacons come late, twice, out of
 * order and forged: totals only grow, and no more time is believed than has passed.
 */

/** A beacon with the totals of one load. Its texts are those of a deck: anybody may have written them. */
export interface Beacon {
  loadId: string;
  sequence: number;
  seconds: number;
  hasInput: boolean;
  slideCount?: number | null | undefined;
  current?: string | null | undefined;
  slides?: readonly BeaconSlide[] | null | undefined;
}

interface BeaconSlide {
  key: string;
  title?: string | null | undefined;
  index: number;
  seconds: number;
  visits: number;
}

/** Seconds and visits of slides, by their place in the list of slides. */
type SlideTotals = [place: number, seconds: number, visits: number][];

export interface LoadTotals {
  id: string;
  /** The highest sequence of its beacons, and how many beacons changed it. */
  sequence: number;
  beacons: number;
  seconds: number;
  /** When its first beacon came, in milliseconds, and the seconds that were believed of it. */
  firstAt: number;
  credit: number;
  slides: SlideTotals;
}

/** The slides in the order in which the view met them, and the loads. */
export interface ViewTotals {
  slides: [key: string, title: string, index: number][];
  loads: LoadTotals[];
  /** Loads of which only the sum is kept. Their later beacons are dropped. */
  closed: { ids: string[]; seconds: number; slides: SlideTotals };
  /** The key of the slide that was shown last. */
  exit: string | null;
  slideCount: number | null;
  maxSlide: number;
}

export const viewLimits = {
  /** Loads further apart are two views, in milliseconds. */
  gapMs: 30 * 60_000,
  /** The active time after which a reader is a person without an input, in seconds. */
  personSeconds: 10,
  loads: 50,
  /** The loads whose totals are kept one by one. */
  openLoads: 10,
  slides: 500,
  /**
   * The keys and titles of the slides of a view together, in UTF-8: 131 bytes for each of 500 slides. A page of 100
   * views stays below the largest answer of Cloud Run, 32 MiB.
   */
  slideTextBytes: 64 * KB,
  beacons: 40,
  loadSeconds: 4 * 3600,
  /** The seconds that the first beacon of a load may claim: beacons come every 5 minutes. */
  firstSeconds: 310,
  /** What clocks may differ, in seconds. */
  slackSeconds: 3,
  visits: 10_000,
  position: 10_000,
  keyLength: 100,
  titleLength: 200,
} as const;

export const noTotals = (): ViewTotals => ({
  slides: [],
  loads: [],
  closed: { ids: [], seconds: 0, slides: [] },
  exit: null,
  slideCount: null,
  maxSlide: 0,
});

/** Whether a view has a load. */
export const hasLoad = ({ loads, closed }: ViewTotals, loadId: string): boolean =>
  closed.ids.includes(loadId) || loads.some(({ id }) => id === loadId);

/** Whether a beacon shows that a person looks at the deck. */
export const isOfPerson = ({ seconds, hasInput }: Beacon): boolean => hasInput || seconds >= viewLimits.personSeconds;

/**
 * Adds a beacon to the totals of its view. Returns whether it changed them: a repeated beacon does not, and neither
 * does one above a limit. `grantedAt` is when the reader got what opens the deck: no load is older.
 */
export function addBeacon(totals: ViewTotals, beacon: Beacon, now: Date, grantedAt: Date): boolean {
  if (beacon.sequence < 1 || beacon.sequence > viewLimits.beacons || totals.closed.ids.includes(beacon.loadId))
    return false;
  const load = totals.loads.find(({ id }) => id === beacon.loadId) ?? openLoad(totals, beacon, now, grantedAt);
  if (!load || load.beacons >= viewLimits.beacons) return false;
  const isNewest = beacon.sequence > load.sequence;
  const believed = believedSeconds(load, now);
  let changed = isNewest;
  if (isNewest) {
    load.sequence = beacon.sequence;
    load.seconds = Math.min(beacon.seconds, believed);
    if (isPosition(beacon.slideCount)) totals.slideCount = beacon.slideCount;
  }
  const texts = totals.slides.map(([key, title]) => key + title).join('');
  const free = { bytes: viewLimits.slideTextBytes - Buffer.byteLength(texts) };
  for (const slide of (beacon.slides ?? []).slice(0, viewLimits.slides)) {
    if (addSlide(totals, load, slide, believed, free)) changed = true;
  }
  const exit = isNewest && beacon.current ? textOf(beacon.current, viewLimits.keyLength) : undefined;
  if (exit) totals.exit = exit;
  if (changed) load.beacons++;
  return changed;
}

/** The new load of a beacon. Undefined when the view has the most loads. */
function openLoad(totals: ViewTotals, { loadId, seconds }: Beacon, now: Date, grantedAt: Date): LoadTotals | undefined {
  if (totals.loads.length + totals.closed.ids.length >= viewLimits.loads) return undefined;
  if (totals.loads.length >= viewLimits.openLoads) closeLoad(totals, totals.loads.shift()!);
  const sinceGrant = Math.max(0, (now.getTime() - grantedAt.getTime()) / 1000) + viewLimits.slackSeconds;
  const credit = Math.floor(Math.min(seconds, viewLimits.firstSeconds, sinceGrant));
  const load = { id: loadId, sequence: 0, beacons: 0, seconds: 0, firstAt: now.getTime(), credit, slides: [] };
  totals.loads.push(load);
  return load;
}

/** Keeps only the sum of a load. */
function closeLoad({ closed }: ViewTotals, { id, seconds, slides }: LoadTotals): void {
  closed.ids.push(id);
  closed.seconds += seconds;
  for (const [place, time, visits] of slides) {
    const known = closed.slides.find(([each]) => each === place);
    if (!known) closed.slides.push([place, time, visits]);
    else {
      known[1] += time;
      known[2] += visits;
    }
  }
}

/** No load lasts longer than the time since its first beacon, and what that one was believed. */
function believedSeconds({ credit, firstAt }: LoadTotals, now: Date): number {
  const passed = Math.max(0, now.getTime() - firstAt) / 1000;
  const slack = passed > 0 ? viewLimits.slackSeconds : 0;
  return Math.floor(Math.min(viewLimits.loadSeconds, credit + passed + slack));
}

const isPosition = (number: unknown): number is number =>
  Number.isSafeInteger(number) && (number as number) >= 1 && (number as number) <= viewLimits.position;

/** The text as it is stored; undefined for one that breaks the rules for texts of people. */
function textOf(text: string, max: number): string | undefined {
  if (text.length > 2 * max) return undefined;
  const normal = normalizeText(text);
  return normal.length <= max && textProblems(normal).length === 0 ? normal : undefined;
}

/**
 * Adds the totals of a slide. `free` is the room for texts: without it a new slide loses its title, and then it is not
 * added.
 */
function addSlide(
  totals: ViewTotals,
  load: LoadTotals,
  slide: BeaconSlide,
  believed: number,
  free: { bytes: number },
): boolean {
  const key = textOf(slide.key, viewLimits.keyLength);
  if (!key || !isPosition(slide.index + 1)) return false;
  const title = textOf(slide.title ?? '', viewLimits.titleLength) ?? '';
  let place = totals.slides.findIndex(([known]) => known === key);
  if (place < 0) {
    if (totals.slides.length >= viewLimits.slides || Buffer.byteLength(key) > free.bytes) return false;
    const stored = Buffer.byteLength(key + title) <= free.bytes ? title : '';
    free.bytes -= Buffer.byteLength(key + stored);
    place = totals.slides.push([key, stored, slide.index]) - 1;
  }
  totals.maxSlide = Math.max(totals.maxSlide, slide.index + 1);
  const seconds = Math.min(slide.seconds, believed);
  const visits = Math.min(slide.visits, viewLimits.visits);
  const known = load.slides.find(([each]) => each === place);
  if (!known) load.slides.push([place, seconds, visits]);
  else if (seconds <= known[1] && visits <= known[2]) return false;
  else {
    known[1] = Math.max(known[1], seconds);
    known[2] = Math.max(known[2], visits);
  }
  return true;
}

export interface SeenSlide {
  key: string;
  title: string;
  index: number;
  seconds: number;
  visits: number;
}

/** The sums over all loads. */
export interface ViewSums {
  seconds: number;
  /** At least 1: without scripts a load tells nothing. */
  loads: number;
  /** In the order of the deck. */
  slides: SeenSlide[];
}

export function sumsOf({ loads, closed, slides: known }: ViewTotals): ViewSums {
  const slides = known.map(([key, title, index]) => ({ key, title, index, seconds: 0, visits: 0 }));
  for (const [place, seconds, visits] of [closed.slides, ...loads.map((load) => load.slides)].flat()) {
    slides[place]!.seconds += seconds;
    slides[place]!.visits += visits;
  }
  return {
    seconds: loads.reduce((sum, load) => sum + load.seconds, closed.seconds),
    loads: Math.max(1, loads.length + closed.ids.length),
    slides: slides.sort((a, b) => a.index - b.index),
  };
}
