import { setTimeout as pause } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { runIn, type Trail } from '../../functions/src/context';
import { BackendTimeout, withinTimeout } from '../../functions/src/deadlines';
import { openLink } from '../../functions/src/decks/open-link';
import { read } from '../../functions/src/records/database';
import { deleteRecords } from '../../functions/src/records/deletions';
import { presentationRef } from '../../functions/src/records/presentations';
import { db } from '../../functions/src/records/sdk';
import { shareTokenRef } from '../../functions/src/records/share-tokens';
import { countView, readViewTotals } from '../../functions/src/records/view-counters';
import { newId } from '../../functions/src/values/ids';
import { network, startWorldBehindNetwork } from '../support/gateways';
import { requestLineOf } from '../support/request-lines';
import { type Account, type Deck, page, succeed, world } from '../support/world';

/** Requests that read, or count views, at the same time share calls of the database. */

let owner: Account;
/** The end of the request that opened the connection of the functions. */
let firstEndsAt: number;

startWorldBehindNetwork(async () => {
  firstEndsAt = performance.now() + 20_000;
  await runIn({ trail: undefined, endsAt: firstEndsAt }, () => db().doc('presentations/none').get());
  owner = await world.anOwner();
});
afterEach(() => {
  jest.restoreAllMocks();
  network.refuse(undefined);
});
const context = { trail: undefined, endsAt: Infinity };
const times = <T>(count: number, work: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => work(i));
const stored = async ({ presentationId }: Deck) => (await read(presentationRef(presentationId)))[0]!;
const viewsOf = async (deck: Deck): Promise<number> => (await readViewTotals([await stored(deck)]))[0]!.totalViews;
/** The errors of the work that failed. */
const failuresOf = async (work: Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(work)).flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));

/** A deck whose views are counted. */
async function aViewed() {
  const deck = await world.aDeck(owner);
  const record = await stored(deck);
  const view = (tokenId = deck.tokenId, seenAt = new Date()) =>
    countView(context, { deck: record, tokenId, version: 1, isOwn: false, at: seenAt });
  return { deck, record, view };
}

describe('reads at the same time', () => {
  test.each([1, 8, 64])('of one link by %i requests are one call for two documents', async (requests) => {
    const deck = await world.aDeck(owner);
    const { calls, documentReads } = await world.costOf(async () => {
      const links = times(requests, () => openLink(context, deck.presentationId, deck.token, new Date()));
      expect((await Promise.all(links)).map(({ verdict }) => verdict)).toEqual(times(requests, () => 'open'));
    });
    expect([calls, documentReads]).toEqual([{ BatchGetDocuments: 1 }, 2]);
  });

  test('give each request records of its own', async () => {
    const ref = presentationRef((await world.aDeck(owner)).presentationId);
    const [[one], [other]] = await Promise.all([read(ref), read(ref)]);
    one!.memberIds.push('somebody');
    one!.current.version = 7;
    expect(other).toMatchObject({ memberIds: [owner.userId], current: { version: 1 } });
  });

  test('fail the request alone whose document is malformed', async () => {
    const [good, bad] = [await world.aDeck(owner), await world.aDeck(owner)];
    await world.database.doc(`presentations/${bad.presentationId}`).update({ viewShards: 'many' });
    const asked = [bad, good, good].map(({ presentationId }) => read(presentationRef(presentationId)));
    expect(await failuresOf(asked)).toMatchObject([{ name: 'ZodError' }]);
  });

  test('of more than 100 documents are calls of their own', async () => {
    const { presentationId } = await world.aDeck(owner);
    const many = times(101, () => shareTokenRef(presentationId, newId()));
    const { calls, documentReads } = await world.costOf(() =>
      Promise.all([read(...many), read(presentationRef(presentationId)), read(presentationRef(presentationId))]),
    );
    expect([calls, documentReads]).toEqual([{ BatchGetDocuments: 2 }, 102]);
  });

  test('do not wait for a call that gets no answer, and each keeps its own time', async () => {
    const [slow, quick] = [await world.aDeck(owner), await world.aDeck(owner)];
    const held = network.hold('BatchGetDocuments', (message) => message.includes(slow.presentationId), 1);
    // A function keeps 5 seconds of its time for its answer.
    const hasty = withinTimeout(5.05, () => read(presentationRef(slow.presentationId)));
    const patient = read(presentationRef(slow.presentationId));
    const late = expect(hasty).rejects.toThrow(BackendTimeout);
    await held.until(patient);
    expect([await world.visit(world.viewUrl(quick)), await world.visit(world.viewUrl(slow))]).toEqual([200, 200]);
    await late;
    held.release();
    expect((await patient)[0]!.presentationId).toBe(slow.presentationId);
  });
});

describe('views at the same time', () => {
  test.each([1, 8, 64])('of one link by %i requests are one commit of two writes', async (requests) => {
    const { deck, record, view } = await aViewed();
    const seenAt = times(requests, (i) => new Date(Date.now() - i * 1000));
    const { calls, documentWrites } = await world.costOf(() => Promise.all(seenAt.map((at) => view(deck.tokenId, at))));
    expect([calls, documentWrites]).toEqual([{ Commit: 1 }, 2]);
    expect(await readViewTotals([record])).toEqual([{ totalViews: requests, lastViewedAt: seenAt[0] }]);
  });

  test('share the commit of a view that a running read brings', async () => {
    const { deck, view } = await aViewed();
    const { calls } = await world.costOf(async () => {
      const reading = read(presentationRef(deck.presentationId));
      // No timer ends the patience of the view, however long the read of a busy machine takes.
      const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(() => undefined as never);
      await Promise.all([view(), reading.then(() => view())]);
      timers.mockRestore();
    });
    expect(calls['Commit']).toBe(1);
  });

  test('of many links are commits of at most 500 writes', async () => {
    const { deck, view } = await aViewed();
    const { calls, documentWrites } = await world.costOf(() => Promise.all(times(1000, () => view(newId()))));
    expect(await viewsOf(deck)).toBe(1000);
    expect(calls['Commit']).toBe(Math.ceil((5 * 1000) / 500));
    expect(documentWrites).toBeLessThan(500 * calls['Commit']!);
  });

  test('are counted when the commit fails for the deleted deck of another view', async () => {
    const [gone, ...others] = await Promise.all(times(4, aViewed));
    // The window of popularity does not end while the clock stands still.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    // The next write would make the deck popular, which writes to the document of the deck.
    for (let i = 0; i < 5; i++) await gone!.view();
    await world.database.doc(`presentations/${gone!.deck.presentationId}`).delete();
    const viewOthers = () => times(9, (i) => others[i % 3]!.view());
    const failures = await failuresOf([...viewOthers(), gone!.view(), ...viewOthers()]);
    clock.mockRestore();
    expect(failures).toMatchObject([{ code: 5 }]);
    expect(await Promise.all(others.map(({ deck }) => viewsOf(deck)))).toEqual([6, 6, 6]);
  });

  test('are billed once when their commit is refused and repeated', async () => {
    const viewed = await Promise.all(times(4, aViewed));
    const trails = times(13, (): Trail => ({ function: '', requestId: '', databaseReads: 0, databaseWrites: 0 }));
    const { calls, documentWrites } = await world.costOf(async () => {
      const views = trails.map((trail, i) => {
        const { record, deck } = viewed[i % 4]!;
        // The database refuses each commit with this name.
        const shown = i === 12 ? { ...record, presentationId: '__gone__' } : record;
        const load = { deck: shown, tokenId: deck.tokenId, version: 1, isOwn: false, at: new Date() };
        return countView({ ...context, trail }, load);
      });
      expect(await failuresOf(views)).toMatchObject([{ code: 3 }]);
    });
    expect(documentWrites).toBe(8);
    expect(calls['Commit']).toBeGreaterThan(1);
    expect(trails[12]!.databaseWrites).toBe(0);
    expect(trails.reduce((sum, { databaseWrites }) => sum + databaseWrites, 0)).toBe(documentWrites);
  });

  test('are counted when the other deck of their commit is contended', async () => {
    const [busy, free] = [await aViewed(), await aViewed()];
    // Each refusal takes 60 of the 100 seconds of a call, so only the first commit is repeated in halves.
    const realNow = performance.now.bind(performance);
    let passedMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => realNow() + passedMs);
    network.refuse(status.ABORTED, ['Commit'], Infinity, (message) => {
      const isContended = message.includes(busy.deck.presentationId);
      if (isContended) passedMs += 60_000;
      return isContended;
    });
    const failures = await failuresOf(times(16, (i) => (i % 2 ? free.view() : busy.view(newId()))));
    network.refuse(undefined);
    clock.mockRestore();
    expect(failures).toMatchObject(times(8, () => ({ code: status.ABORTED })));
    expect([await viewsOf(busy.deck), await viewsOf(free.deck)]).toEqual([0, 8]);
  });

  test('make a deck popular after a slow commit of this deck alone', async () => {
    const [busy, free] = [await aViewed(), await aViewed()];
    // No other commit takes time.
    let nowMs = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    /** Lets the first commit of the deck take longer than 2 seconds. Returns the commits that were made. */
    const viewSlowly = async (isAlone: boolean) => {
      const { calls } = await world.costOf(async () => {
        const held = network.hold('Commit', (message) => message.includes(busy.deck.presentationId), 1);
        const [ofBusy, ofFree] = [busy.view(), free.view()];
        const views = Promise.all([ofBusy, ofFree]);
        await held.until(views);
        if (isAlone) await ofFree;
        nowMs += 2100;
        held.release();
        await views;
      });
      return calls['Commit'];
    };
    const shards = async () => [(await stored(busy.deck)).viewShards, (await stored(free.deck)).viewShards];
    expect([await viewSlowly(false), await viewSlowly(true), await shards()]).toEqual([1, 2, [1, 1]]);
    await Promise.all([busy.view(), free.view()]);
    clock.mockRestore();
    expect([await shards(), await viewsOf(busy.deck), await viewsOf(free.deck)]).toEqual([[32, 1], 3, 3]);
  });

  test('are lost together, and not tried again, when the commit may have been applied', async () => {
    // A refused commit of two decks would be repeated for each of them.
    const [one, other] = [await aViewed(), await aViewed()];
    network.refuse(status.INTERNAL, ['Commit'], 1);
    const failures = await failuresOf(times(6, (i) => (i % 2 ? one : other).view()));
    expect(failures).toMatchObject(times(6, () => ({ code: status.INTERNAL })));
    expect([await viewsOf(one.deck), await viewsOf(other.deck)]).toEqual([0, 0]);
  });
});

describe('under the load of 64 viewers', () => {
  const VIEWERS = 64;
  /** Opens the entry of a deck. */
  const open = async (deck: Deck) => {
    const answer = await fetch(world.viewUrl(deck));
    await answer.arrayBuffer();
    return answer;
  };

  test('every view is counted, calls are far fewer than requests, and the log lines add up to the bill', async () => {
    const deck = await world.aDeck(owner, [page()]);
    expect(await world.visit(world.viewUrl(deck))).toBe(200);
    const ids: string[] = [];
    let left = 640;
    const { calls, documentReads, documentWrites } = await world.costOf(() =>
      Promise.all(
        times(VIEWERS, async () => {
          while (left-- > 0) ids.push((await open(deck)).headers.get('x-request-id')!);
        }),
      ),
    );
    const lines = await Promise.all(ids.map(requestLineOf));
    const sum = (field: 'databaseReads' | 'databaseWrites') => lines.reduce((total, line) => total + line[field], 0);
    expect([sum('databaseReads'), sum('databaseWrites')]).toEqual([documentReads, documentWrites]);
    expect(calls['BatchGetDocuments']! + calls['Commit']!).toBeLessThan(640);
    expect(documentReads).toBe(2 * calls['BatchGetDocuments']!);
    expect(await viewsOf(deck)).toBe(641);
  });

  test('a revocation is seen by every request that is sent after it', async () => {
    const deck = await world.aDeck(owner, [page()]);
    const { presentationId, tokenId } = deck;
    const statuses = { before: new Set<number>(), after: new Set<number>() };
    let isRevoked = false;
    let left = 200;
    let noteOpened!: () => void;
    const opened = new Promise<void>((resolve) => (noteOpened = resolve));
    const viewers = times(VIEWERS, async () => {
      while (!isRevoked || left-- > 0) {
        statuses[isRevoked ? 'after' : 'before'].add((await open(deck)).status);
        noteOpened();
      }
    });
    await opened;
    await succeed(world.call('unsharePresentation', { presentationId, tokenId }, { key: owner.key }));
    isRevoked = true;
    await Promise.all(viewers);
    expect([[...statuses.after], [...statuses.before].filter((status) => status !== 403)]).toEqual([[403], [200]]);
  });
});

test('the end of the request that opened the connection does not end what the SDK sends for a later one', async () => {
  // The last test of the file, so that most of this time has passed.
  while (performance.now() < firstEndsAt) await pause(100);
  const below = world.database.doc('presentations/late/novelties/none/below/a');
  await below.set({});
  // The recursive deletion of the SDK sends its writes when its query ends.
  await runIn({ trail: undefined, endsAt: performance.now() + 60_000 }, () => deleteRecords('late'));
  expect((await below.get()).exists).toBe(false);
});
