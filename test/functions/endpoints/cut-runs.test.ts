import { dayOf } from '../../../functions/src/values/days';
import { endAccount } from '../../support/account-deletion';
import { passSeconds } from '../../support/clock';
import { requestLocally } from '../../support/deck-origin';
import { askForExport, exportedFiles, exportOf } from '../../support/exports';
import { network, startWorldBehindNetwork } from '../../support/gateways';
import { meanwhile } from '../../support/held-calls';
import { runJob } from '../../support/jobs';
import { insightsOf, storeViews } from '../../support/stored-views';
import { aReader } from '../../support/views';
import { page, succeed, world, type Account, type Deck } from '../../support/world';

/**
 * Runs of jobs that take long: nobody's work waits for ever because of somebody else's, and what happens during a run
 * is not missed.
 */

let owner: Account;
startWorldBehindNetwork(() => Promise.resolve());
beforeEach(async () => {
  owner = await world.aPublisher();
});

/** Runs a job, which tells its calls of a kind before they are made. */
async function runWatched(
  name: Parameters<typeof runJob>[0],
  tell: (message: Buffer) => void,
  method: Parameters<typeof network.hold>[0] = 'Commit',
): Promise<void> {
  const watched = network.hold(method, (message) => {
    tell(message);
    return false;
  });
  await runJob(name);
  watched.release();
}

const decks = (count: number) => Promise.all(Array.from({ length: count }, () => world.aDeck(owner, [page()])));
const READER = 'grace@example.org';
const load = async (deck: Deck) => void (await (await aReader(deck)).load());

/** Folds insights, where the loads of each deck take so many seconds. */
const foldSlowly = (seconds: number) =>
  runWatched('foldInsights', (commit) => {
    if (commit.includes('/insights/') && !commit.includes('/views/')) passSeconds(seconds);
  });

test('a deck that is loaded all the time does not keep the loads of another one waiting', async () => {
  const [first, second] = (await decks(2)).sort((a, b) => (a.presentationId < b.presentationId ? -1 : 1));
  await load(second!);
  let openings = 0;
  // A run begins with either deck.
  for (let run = 0; run < 30 && openings === 0; run++) {
    await load(first!);
    await foldSlowly(301);
    openings = (await insightsOf(owner, second!)).otherOpenings;
  }
  expect(openings).toBe(1);
});

test('loads that take all their time leave the views of all decks theirs', async () => {
  const [loaded, viewed] = [await decks(4), await decks(2)];
  for (const deck of loaded) await load(deck);
  for (const deck of viewed) await storeViews(owner, deck, 1);
  await foldSlowly(101);
  const views = await Promise.all(viewed.map(async (deck) => (await insightsOf(owner, deck)).views));
  expect(views).toEqual([1, 1]);
});

test('a fold of loads writes only the figures that they change', async () => {
  const [deck] = await decks(1);
  const days: string[] = [];
  const written: string[] = [];
  for (let day = 0; day < 3; day++) {
    days.push(dayOf(new Date()));
    await load(deck!);
    await runWatched('foldInsights', (commit) => {
      written.push(...days.filter((each) => commit.includes(`${deck!.presentationId}/insights/deck.${each}`)));
    });
    passSeconds(86_400);
  }
  expect(written).toEqual(days);
});

test('an ended account with many decks does not keep the links of another one open', async () => {
  const other = await world.aPublisher();
  const deck = await world.aDeck(other, [page()]);
  await decks(3);
  await endAccount(owner);
  passSeconds(1);
  await endAccount(other);
  const isOpen = async () => (await requestLocally(deck.shareUrl)).status === 200;
  expect(await isOpen()).toBe(true);
  for (let run = 0; run < 2; run++) {
    passSeconds(60);
    await runWatched('deleteAccounts', (commit) => {
      if (commit.includes('/deletions/')) passSeconds(301);
    });
  }
  expect(await isOpen()).toBe(false);
});

test.each([
  [151, 0],
  [20, 3],
])('an export of decks that take %i seconds each has several parts, after %i attempts', async (seconds, attempts) => {
  const all = await decks(3);
  const rules = { allowedEmails: [READER] };
  for (const { presentationId, tokenId } of all)
    await succeed(world.call('updateShareToken', { presentationId, tokenId, ...rules }, owner));
  passSeconds(60);
  await askForExport(owner);
  await world.database.doc(`accountExports/${owner.organizationId}`).update({ attempts });
  const slowly = (message: Buffer) => message.includes('/linkReaders/') && passSeconds(seconds);
  for (let run = 0; run < 9 && (await exportOf(owner))!.status !== 'ready'; run++)
    await runWatched('exportAccounts', slowly, 'BatchGetDocuments');
  const { status, parts } = (await exportOf(owner))!;
  expect([status, parts.length > 1]).toEqual(['ready', true]);
  const entries = [...(await exportedFiles(owner)).keys()].filter((path) => path.endsWith('/newest/index.html'));
  expect(entries).toHaveLength(all.length);
});

test('a reader who opens a link while the job forgets the address is forgotten, too', async () => {
  const [deck] = await decks(1);
  const { presentationId, tokenId } = deck!;
  await succeed(world.call('updateShareToken', { presentationId, tokenId, allowedEmails: [READER] }, owner));
  const session = { key: await world.aDashboardSession(owner) };
  expect((await world.call('forgetReader', { email: READER }, session)).status).toBe(202);
  const opening = world.database.doc(`presentations/${presentationId}/openings/o`);
  const open = () =>
    opening.set({ tokenId, email: READER, createdAt: new Date(), expiresAt: new Date(Date.now() + 9e7) });
  const closing = network.hold('Commit', (commit) => commit.includes(`${presentationId}/linkReaders/`), 1);
  await meanwhile(closing, runJob('forgetReaders'), open);
  expect((await opening.get()).get('email')).toBeNull();
});
