import { z } from 'zod';
import {
  addFigures,
  dayFiguresOf,
  noFigures,
  replaceView,
  type Contribution,
  type Figures,
} from '../policy/insight-figures';
import { sumsOf } from '../policy/view-totals';
import { addDays, dayOf, lastDayOf, monthOf, periodsOf, startOfDay } from '../values/days';
import { mac } from '../values/secrets';
import { collection, collectionGroup, date, paths, type Ref } from './collections';
import { pagesOf, readFields, readIn, type Transaction } from './database';
import { linkTotalsRef, storeLinkTotals, type LinkTotals } from './link-totals';
import { pack, packed, unpack } from './packed';
import { presentationRef, type Presentation } from './presentations';
import { recipientKey } from './recipient-key';
import { shareTokenRef } from './share-tokens';
import { transact } from './transact';
import type { LoadsOfDay } from './view-counters';
import { foldedFields, foldedOf, totalsOf, waitingViewsOf, type View } from './views';

/**
 * The figures of a day or month: of a deck, of one of its versions or links, or of an organization. A job folds views
 * and counted loads into them. A view keeps what was folded of it, so a fold that is repeated changes nothing.
 */
const insights = z.object({
  /** The end of the day or month. */
  endsAt: date,
  /** `Figures` of policy/insight-figures. */
  figures: packed,
});
type Insights = z.output<typeof insights>;

/** What figures are about: a deck, one of its versions or links, or an organization. */
export type Scope =
  { presentationId: string; version?: number | undefined; tokenId?: string | undefined } | { organizationId: string };

function insightsRef(scope: Scope, period: string): Ref<Insights> {
  if ('organizationId' in scope) {
    return collection(paths.organizationInsights(scope.organizationId), insights).doc(period);
  }
  const { presentationId, version, tokenId } = scope;
  const of = version !== undefined ? `v${version}` : tokenId !== undefined ? `t${tokenId}` : 'deck';
  return collection(paths.insights(presentationId), insights).doc(`${of}.${period}`);
}

const decoded = ({ figures }: Insights): Figures => {
  const stored = unpack(figures) as {
    [K in keyof Figures]: Figures[K] extends Map<infer K2, infer V> ? [K2, V][] : Figures[K];
  };
  const slides = stored.slides.map(([key, slide]) => [key, { ...slide, times: new Map(slide.times) }] as const);
  return {
    ...stored,
    times: new Map(stored.times),
    parts: new Map(stored.parts),
    slides: new Map(slides),
    devices: new Map(stored.devices),
    hosts: new Map(stored.hosts),
    days: new Map(stored.days),
    counted: new Map(stored.counted),
  };
};

// ---- Reading

/**
 * The sum of the figures from one day to another, each of them included. Reads a document for each whole month, and one
 * for each other day: at most 72 for 400 days. One round trip.
 */
export async function readFigures(scope: Scope, from: string, to: string): Promise<Figures> {
  const periods = periodsOf(from, to);
  const found = await readFields(periods.map((period) => insightsRef(scope, period)));
  const sum = noFigures();
  found.forEach((stored, i) => {
    if (!stored) return;
    const figures = decoded(stored);
    if (!isMonth(periods[i]!)) sum.days.set(periods[i]!, dayFiguresOf(figures));
    addFigures(sum, figures);
  });
  return sum;
}

const isMonth = (period: string) => period.length === 7;
const endOf = (period: string) => startOfDay(addDays(isMonth(period) ? lastDayOf(period) : period, 1));

// ---- The fold

/** What a transaction changes of figures: read once, changed in memory, written once where it is changed. */
class OpenFigures {
  private readonly opened = new Map<
    string,
    { ref: Ref<Insights>; period: string; figures: Figures; isFull: boolean; isChanged: boolean }
  >();

  /** Reads the days of the scopes, and the months of these days. */
  static async read(tx: Transaction, days: readonly { scope: Scope; day: string }[]): Promise<OpenFigures> {
    const open = new OpenFigures();
    const refs = new Map<string, { ref: Ref<Insights>; period: string }>();
    for (const { scope, day } of days) {
      for (const period of [day, monthOf(day)]) {
        const ref = insightsRef(scope, period);
        refs.set(ref.path, { ref, period });
      }
    }
    const wanted = [...refs.values()];
    const found = await tx.read(wanted.map(({ ref }) => ref));
    wanted.forEach(({ ref, period }, i) => {
      const stored = found[i];
      const figures = stored ? decoded(stored) : noFigures();
      const isFull = (stored?.figures.length ?? 0) > FULL_BYTES;
      open.opened.set(ref.path, { ref, period, figures, isFull, isChanged: false });
    });
    return open;
  }

  /** Changes the figures of a day, and those of its month. */
  change(scope: Scope, day: string, change: (figures: Figures, isFull: boolean) => void): void {
    const [ofDay, ofMonth] = [day, monthOf(day)].map((period) => this.opened.get(insightsRef(scope, period).path)!);
    for (const each of [ofDay!, ofMonth!]) {
      change(each.figures, each.isFull);
      each.isChanged = true;
    }
    ofMonth!.figures.days.set(day, dayFiguresOf(ofDay!.figures));
  }

  of(scope: Scope, day: string): Figures {
    return this.opened.get(insightsRef(scope, day).path)!.figures;
  }

  write(tx: Transaction): void {
    for (const { ref, period, figures, isChanged } of this.opened.values()) {
      if (isChanged) tx.set(ref, { endsAt: endOf(period), figures: pack(figures) });
    }
  }
}

/** From this size on a document takes no further elements: those that it has may still grow, below 1 MiB. */
const FULL_BYTES = 600_000;

/**
 * The views of one transaction. Each may be of another link, with two documents of its own. A run folds 5000 views of a
 * deck with 50 writes of its day: Firestore sustains one write a second on a document.
 */
export const VIEWS_AT_ONCE = 100;
/** A hostile reader fills a view with 64 KB of texts: the job has little CPU, and a commit at most 10 MiB. */
const BYTES_AT_ONCE = 1_000_000;

/** The keyed hash by which a person is counted: of the address where it is known, else of the grant. */
const personOf = (key: string, { organizationId, email, grantId }: View) =>
  mac(key, 'view-person', organizationId, email ?? `grant ${grantId}`).slice(0, 16);

/** The scopes in which a view is counted, with the part that it is of each. */
const scopesOf = ({ presentationId, organizationId, version, tokenId }: View) => [
  { scope: { presentationId }, part: tokenId, hasSlides: true },
  { scope: { presentationId, version }, part: tokenId, hasSlides: true },
  { scope: { presentationId, tokenId }, part: undefined, hasSlides: true },
  { scope: { organizationId }, part: presentationId, hasSlides: false },
];

function contributionOf(view: View): Contribution {
  const totals = totalsOf(view);
  const { seconds, loads, slides } = sumsOf(totals);
  const { tokenId, version, device, referrerHost: host, slideCount, maxSlide } = view;
  return {
    day: dayOf(view.startedAt),
    tokenId,
    version,
    seconds,
    loads,
    isCompleted: slideCount !== null && maxSlide >= slideCount,
    device,
    host,
    slides: slides.map(({ key, title, index, seconds: time }) => [key, title, index, time]),
    exit: totals.exit,
  };
}

/**
 * Folds at most `count` views of a deck that wait, in one transaction. Returns whether more may wait. Views of a
 * deleted deck are left to its deletion.
 */
export async function foldViews(presentationId: string, count = VIEWS_AT_ONCE): Promise<boolean> {
  const key = await recipientKey();
  return transact(async (tx) => {
    const [[deck], found] = await Promise.all([
      readIn(tx, presentationRef(presentationId)),
      tx.get(waitingViewsOf(presentationId).limit(count)),
    ]);
    if (!deck || found.empty) return false;
    let bytes = 0;
    const waiting = found.docs
      .map((document) => ({ ref: document.ref, view: document.data() }))
      .filter(({ view }, i) => (bytes += view.totals.length) <= BYTES_AT_ONCE || i === 0)
      .map(({ ref, view }) => ({ ref, view, before: foldedOf(view), after: contributionOf(view) }));
    const open = await OpenFigures.read(
      tx,
      waiting.flatMap(({ view, after }) => scopesOf(view).map(({ scope }) => ({ scope, day: after.day }))),
    );
    const writeTotals = await openTotals(tx, deck, waiting);
    for (const { ref, view, before, after } of waiting) {
      const of = { person: personOf(key, view), lastSeenAt: view.lastSeenAt.getTime() };
      for (const { scope, part, hasSlides } of scopesOf(view)) {
        open.change(scope, after.day, (figures, isFull) =>
          replaceView(figures, before, after, { ...of, part, hasSlides, isFull }),
        );
      }
      tx.update(ref, foldedFields(view, after));
    }
    open.write(tx);
    writeTotals();
    return found.size === count || waiting.length < found.size;
  });
}

interface Waiting {
  view: View;
  before: Contribution | undefined;
  after: Contribution;
}

/** Reads the totals of the links, and returns what writes them with the views. */
async function openTotals(tx: Transaction, deck: Presentation, waiting: readonly Waiting[]): Promise<() => void> {
  const { presentationId } = deck;
  const ids = [...new Set(waiting.map(({ view }) => view.tokenId))];
  const refs = new Map(ids.map((id) => linkTotalsRef(presentationId, id)).map((ref) => [ref.path, ref]));
  const [stored, tokens] = await Promise.all([
    tx.read([...refs.values()]),
    tx.read(ids.map((id) => shareTokenRef(presentationId, id))),
  ]);
  const names = new Map(ids.map((id, i) => [id, tokens[i]?.name ?? '']));
  const totals = new Map([...refs.keys()].map((path, i): [string, LinkTotals] => [path, stored[i] ?? { links: {} }]));
  return () => {
    for (const { view, before, after } of waiting) {
      const { links } = totals.get(linkTotalsRef(presentationId, view.tokenId).path)!;
      const known = links[view.tokenId];
      links[view.tokenId] = {
        name: names.get(view.tokenId)!,
        views: (known?.views ?? 0) + (before ? 0 : 1),
        seconds: (known?.seconds ?? 0) + after.seconds - (before?.seconds ?? 0),
        lastSeenAt: known && known.lastSeenAt > view.lastSeenAt ? known.lastSeenAt : view.lastSeenAt,
        maxSlide: Math.max(known?.maxSlide ?? 0, view.maxSlide),
        slideCount: view.slideCount ?? known?.slideCount ?? null,
      };
    }
    for (const [path, ref] of refs) storeLinkTotals(tx, ref, totals.get(path)!);
  };
}

/**
 * Stores counted loads of a deck in its figures. The numbers only grow, so the larger one is right, whichever of two
 * runs wrote it. One transaction.
 */
export function foldLoads(presentationId: string, counted: readonly LoadsOfDay[]): Promise<void> {
  return transact(async (tx) => {
    const [deck] = await readIn(tx, presentationRef(presentationId));
    if (!deck || counted.length === 0) return;
    const { organizationId } = deck;
    const changes = counted.flatMap(({ tokenId, day, byVersion }) => {
      if (tokenId !== null) return [{ scope: { presentationId, tokenId }, day, byVersion }];
      const versions = [...byVersion].map(([version, n]) => ({
        scope: { presentationId, version: Number(version) },
        day,
        byVersion: new Map([[version, n]]),
      }));
      return [{ scope: { presentationId }, day, byVersion }, ...versions];
    });
    const ofDeck = counted.filter(({ tokenId }) => tokenId === null);
    const open = await OpenFigures.read(tx, [
      ...changes,
      ...ofDeck.map(({ day }) => ({ scope: { organizationId }, day })),
    ]);
    for (const { scope, day, byVersion } of changes) {
      const { counted: known } = open.of(scope, day);
      for (const [version, n] of byVersion) {
        const more = n - (known.get(version) ?? 0);
        if (more <= 0) continue;
        open.change(scope, day, (figures) => addCounted(figures, version, more));
        // The loads of all decks of an organization are one number.
        const isOfDeck = !('tokenId' in scope) && !('version' in scope);
        if (isOfDeck) open.change({ organizationId }, day, (figures) => addCounted(figures, '', more));
      }
    }
    open.write(tx);
  });
}

const addCounted = ({ counted }: Figures, version: string, more: number) =>
  counted.set(version, (counted.get(version) ?? 0) + more);

// ---- Their end

/** Figures of days and months that ended before a time, of all decks and organizations: references, in pages. */
export async function* oldInsights(before: Date) {
  for (const name of ['insights', 'organizationInsights']) {
    yield* pagesOf(
      collectionGroup(name, insights).where('endsAt', '<', before).orderBy('endsAt').select('endsAt'),
      300,
    );
  }
}
