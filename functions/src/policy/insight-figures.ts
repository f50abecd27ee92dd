import { countPeople, noPeople, unionOf, addPerson, type Sketch } from '../values/people-sketch';
import type { Device } from '../values/visitors';
import { addToBucket, bucketOf, quantileOf, type Histogram } from '../values/seconds-histogram';

/**
 * The figures of a period: of a deck, of one of its versions or links, or of an organization. They are sums over views,
 * so the figures of a longer time are the sum of those of its periods. Stored lists are bounded; what came when a list
 * was full is in `other`.
 */

/** What a view adds to figures. It is kept with the view, so that its next state can take its place. */
export interface Contribution {
  day: string;
  tokenId: string;
  version: number;
  seconds: number;
  loads: number;
  isCompleted: boolean;
  device: Device;
  host: string | null;
  slides: [key: string, title: string, index: number, seconds: number][];
  exit: string | null;
}

/** The figures of a link of a deck, or of a deck of an organization. */
export interface Part {
  views: number;
  seconds: number;
  people: Sketch;
  /** When a view of it last told something, in milliseconds. */
  lastSeenAt: number;
}

export interface SlideFigures {
  title: string;
  index: number;
  views: number;
  exits: number;
  times: Histogram;
}

export interface DayFigures {
  views: number;
  seconds: number;
  people: number;
}

export interface Figures {
  views: number;
  seconds: number;
  /** The loads of these views. */
  loads: number;
  completed: number;
  people: Sketch;
  times: Histogram;
  parts: Map<string, Part>;
  slides: Map<string, SlideFigures>;
  devices: Map<Device, number>;
  /** '' for views whose browsers named none. */
  hosts: Map<string, number>;
  /** The days of a month. */
  days: Map<string, DayFigures>;
  other: { parts: { views: number; seconds: number }; slides: number; hosts: number };
  /** The counted loads that are not of the owner or a dev, by version. */
  counted: Map<string, number>;
}

/** The largest stored lists. An answer shows the 100 largest elements, and 500 slides. */
export const MAX_STORED = { parts: 150, slides: 500, hosts: 300 } as const;
export const MAX_SHOWN = 100;

export const noFigures = (): Figures => ({
  views: 0,
  seconds: 0,
  loads: 0,
  completed: 0,
  people: noPeople,
  times: new Map(),
  parts: new Map(),
  slides: new Map(),
  devices: new Map(),
  hosts: new Map(),
  days: new Map(),
  other: { parts: { views: 0, seconds: 0 }, slides: 0, hosts: 0 },
  counted: new Map(),
});

/** How a view is added to one set of figures. */
interface Addition {
  /** Which part of the figures the view is in: its link, or its deck. None where figures have no parts. */
  part: string | undefined;
  /** Whether the figures have the slides of a deck. */
  hasSlides: boolean;
  /** The hash of the person. */
  person: string;
  lastSeenAt: number;
  /** Whether the stored lists take no further element. */
  isFull: boolean;
}

/** Puts the new state of a view in the place of the state that was added before, if any. */
export function replaceView(
  figures: Figures,
  before: Contribution | undefined,
  after: Contribution,
  addition: Addition,
): void {
  if (before) count(figures, before, -1, addition);
  count(figures, after, 1, addition);
  figures.people = addPerson(figures.people, addition.person);
  const part = addition.part === undefined ? undefined : figures.parts.get(addition.part);
  if (!part) return;
  part.people = addPerson(part.people, addition.person);
  part.lastSeenAt = Math.max(part.lastSeenAt, addition.lastSeenAt);
}

/** Adds a view, or takes it away. An element that was not in a full list before is not in it now. */
function count(figures: Figures, view: Contribution, by: 1 | -1, { part, hasSlides, isFull }: Addition): void {
  const { seconds, device, host, slides, exit } = view;
  const isClosed = isFull || by < 0;
  figures.views += by;
  figures.seconds += by * seconds;
  figures.loads += by * view.loads;
  if (view.isCompleted) figures.completed += by;
  addToBucket(figures.times, bucketOf(seconds), by);
  figures.devices.set(device, (figures.devices.get(device) ?? 0) + by);
  const { parts, hosts, other } = figures;
  if (part !== undefined) {
    const empty = { views: 0, seconds: 0, people: noPeople, lastSeenAt: 0 };
    const of = admitted(parts, part, MAX_STORED.parts, isClosed, empty) ?? other.parts;
    of.views += by;
    of.seconds += by * seconds;
  }
  if (admitted(hosts, host ?? '', MAX_STORED.hosts, isClosed, 0) === undefined) other.hosts += by;
  else hosts.set(host ?? '', hosts.get(host ?? '')! + by);
  if (!hasSlides) return;
  for (const [key, title, index, time] of slides) {
    const empty = { title, index, views: 0, exits: 0, times: new Map<number, number>() };
    const slide = admitted(figures.slides, key, MAX_STORED.slides, isClosed, empty);
    if (!slide) {
      other.slides += by;
      continue;
    }
    slide.views += by;
    if (by > 0) Object.assign(slide, { title, index });
    addToBucket(slide.times, bucketOf(time), by);
    if (key === exit) slide.exits += by;
  }
}

/** The element of a list, which is added when there is room. */
function admitted<T>(list: Map<string, T>, key: string, max: number, isFull: boolean, empty: T): T | undefined {
  const known = list.get(key);
  if (known !== undefined || isFull || list.size >= max) return known;
  list.set(key, empty);
  return empty;
}

/** What the month of a day shows of it. */
export const dayFiguresOf = ({ views, seconds, people }: Figures): DayFigures => ({
  views,
  seconds,
  people: countPeople(people),
});

/** Adds the figures of another period. Nothing is bounded: the sum is answered and not stored. */
export function addFigures(sum: Figures, more: Figures): void {
  sum.views += more.views;
  sum.seconds += more.seconds;
  sum.loads += more.loads;
  sum.completed += more.completed;
  sum.people = unionOf(sum.people, more.people);
  addTimes(sum.times, more.times);
  for (const [id, part] of more.parts) {
    const known = sum.parts.get(id);
    if (!known) {
      sum.parts.set(id, { ...part });
      continue;
    }
    known.views += part.views;
    known.seconds += part.seconds;
    known.people = unionOf(known.people, part.people);
    known.lastSeenAt = Math.max(known.lastSeenAt, part.lastSeenAt);
  }
  for (const [key, slide] of more.slides) {
    const known = sum.slides.get(key) ?? { ...slide, views: 0, exits: 0, times: new Map<number, number>() };
    known.views += slide.views;
    known.exits += slide.exits;
    Object.assign(known, { title: slide.title, index: slide.index });
    addTimes(known.times, slide.times);
    sum.slides.set(key, known);
  }
  addCounts(sum.devices, more.devices);
  addCounts(sum.hosts, more.hosts);
  addCounts(sum.counted, more.counted);
  for (const [day, figures] of more.days) sum.days.set(day, figures);
  sum.other.parts.views += more.other.parts.views;
  sum.other.parts.seconds += more.other.parts.seconds;
  sum.other.slides += more.other.slides;
  sum.other.hosts += more.other.hosts;
}

const addTimes = (sum: Histogram, more: Histogram) => more.forEach((n, bucket) => addToBucket(sum, bucket, n));
const addCounts = <K>(sum: Map<K, number>, more: Map<K, number>) =>
  more.forEach((n, key) => sum.set(key, (sum.get(key) ?? 0) + n));

/** Whether each element has a place in its list. */
export const hasAll = ({ other: { parts, slides, hosts } }: Figures): boolean =>
  parts.views === 0 && slides === 0 && hosts === 0;

const counted = ({ counted: loads }: Figures) => [...loads.values()].reduce((sum, n) => sum + n, 0);

/** The figures that the answers for a deck and for an organization have in common. */
export function summaryOf(figures: Figures, days: readonly string[]) {
  const { views, loads, completed, people, times } = figures;
  return {
    views,
    people: countPeople(people),
    otherOpenings: Math.max(0, counted(figures) - loads),
    seconds: { median: quantileOf(times, 0.5), p90: quantileOf(times, 0.9) },
    completion: views > 0 ? Math.round((1000 * completed) / views) / 1000 : null,
    byDay: days.map((day) => ({ day, ...(figures.days.get(day) ?? { views: 0, people: 0, seconds: 0 }) })),
  };
}

/** The parts, the one with the most views first. */
export const largestParts = ({ parts }: Figures): [id: string, part: Part][] =>
  [...parts].filter(([, { views }]) => views > 0).sort(([, a], [, b]) => b.views - a.views || b.seconds - a.seconds);

/** The 100 largest parts that `isShown` admits, and the sum of the others. */
export function partsOf(
  figures: Figures,
  isShown: (id: string) => boolean = () => true,
): { shown: [id: string, part: Part][]; other: { views: number; seconds: number } } {
  const sorted = largestParts(figures);
  const shown = sorted.filter(([id]) => isShown(id)).slice(0, MAX_SHOWN);
  const known = new Set(shown.map(([id]) => id));
  const rest = { ...figures.other.parts };
  for (const [id, { views, seconds }] of sorted) {
    if (known.has(id)) continue;
    rest.views += views;
    rest.seconds += seconds;
  }
  return { shown, other: rest };
}

/** The slides in the order of the deck, at most 500, and the views of the others. */
export function slidesOf({ slides, other }: Figures) {
  const seen = [...slides].filter(([, { views }]) => views > 0).sort(([, a], [, b]) => b.views - a.views);
  const [shown, rest] = [seen.slice(0, MAX_STORED.slides), seen.slice(MAX_STORED.slides)];
  return {
    bySlide: shown
      .sort(([, a], [, b]) => a.index - b.index)
      .map(([key, { title, views, exits, times }]) => ({
        key,
        title,
        views,
        medianSeconds: quantileOf(times, 0.5) ?? 0,
        exits,
      })),
    other: { views: rest.reduce((sum, [, { views }]) => sum + views, other.slides) },
  };
}

export const devicesOf = ({ devices }: Figures) =>
  [...devices]
    .filter(([, views]) => views > 0)
    .map(([device, views]) => ({ device, views }))
    .sort((a, b) => b.views - a.views);

export function hostsOf({ hosts, other }: Figures) {
  const sorted = [...hosts].filter(([, views]) => views > 0).sort(([, a], [, b]) => b - a);
  const rest = sorted.slice(MAX_SHOWN).reduce((sum, [, views]) => sum + views, other.hosts);
  const byReferrer = sorted.slice(0, MAX_SHOWN).map(([host, views]) => ({ host: host || null, views }));
  return { byReferrer, other: { views: rest } };
}
