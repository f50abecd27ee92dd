import { readIn } from '../../../functions/src/records/database';
import { presentationRef, renameDeck } from '../../../functions/src/records/presentations';
import { transact } from '../../../functions/src/records/transact';
import { passSeconds } from '../../support/clock';
import { feed, newestEvents, type AnyEvent } from '../../support/events';
import { startWorld, succeed, world, type Account, type Deck } from '../../support/world';

/** Who follows the feed of events gets each of them once, whatever the order of the commits is. */

let owner: Account;
let deck: Deck;
let hours = 0;
startWorld();
beforeEach(async () => {
  // The clock of the database never goes back, so each test begins after the dates of the test before it.
  passSeconds(3600 * ++hours);
  owner = await world.anOwner('pro');
  deck = await world.aDeck(owner);
});

const rename = (title: string) =>
  succeed(world.call('renamePresentation', { presentationId: deck.presentationId, title }, { key: owner.key }));

test('the feed is complete for who follows it, however transactions overlap', async () => {
  const renameIn = ({ presentationId }: Deck, title: string, held: Promise<void> = Promise.resolve()) =>
    transact(async (tx) => {
      const [found] = await readIn(tx, presentationRef(presentationId));
      renameDeck(tx, found!, title);
      await held;
    });
  const other = await world.aDeck(owner);
  passSeconds(60);
  const start = await feed(owner, { limit: '100' });
  let commit!: () => void;
  const late = renameIn(deck, 'late', new Promise((resolve) => (commit = resolve)));
  await renameIn(other, 'early');
  passSeconds(60);
  const first = await feed(owner, { cursor: start.nextCursor! });
  commit();
  await late;
  passSeconds(60);
  const second = await feed(owner, { cursor: first.nextCursor! });
  const titlesOf = ({ events }: typeof first) =>
    events.map(({ data }) => (data as { presentation: { title: string } }).presentation.title);
  expect([titlesOf(first), titlesOf(second)]).toEqual([['early'], ['late']]);
});

test('the feed does not pass an event while others of its time may still be committed', async () => {
  await rename('Young');
  expect(await newestEvents(owner, { type: 'presentation.renamed' })).toHaveLength(1);
  const { events, nextCursor } = await feed(owner, { type: 'presentation.renamed' });
  expect([events, typeof nextCursor]).toEqual([[], 'string']);
  passSeconds(60);
  const query = { type: 'presentation.renamed', cursor: nextCursor! };
  expect((await feed(owner, query)).events).toHaveLength(1);
});

test('the feed has pages in both orders, and ends after 30 days', async () => {
  for (const title of ['a', 'b', 'c']) {
    passSeconds(1);
    await rename(title);
  }
  passSeconds(60);
  for (const order of ['asc', 'desc']) {
    const all = await feed(owner, { order, limit: '100' });
    const pages: AnyEvent[] = [];
    for (let cursor: string | null | undefined; pages.length < all.events.length;) {
      const some = await feed(owner, { order, limit: '2', ...(cursor && { cursor }) });
      pages.push(...some.events);
      cursor = some.nextCursor;
    }
    expect(pages).toEqual(all.events);
    expect(all.nextCursor === null).toBe(order === 'desc');
  }
  passSeconds(31 * 86_400);
  expect((await feed(owner)).events).toEqual([]);
});

test('the feed is that of the own organization', async () => {
  const other = await world.anOwner();
  expect(await newestEvents(other, { presentationId: deck.presentationId })).toEqual([]);
  const { status } = await world.call('listEvents', undefined, { key: await world.anAdmin() });
  expect(status).toBe(403);
});
