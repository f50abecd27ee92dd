import { stripVTControlCharacters } from 'node:util';
import { aReader, slide } from '../support/views';
import { addLink, aDeck, computer, done, refused, shown, testbed, withTestbed } from './testbed';
import { proveWebhooks } from './webhooks';

/** `deck views`, `deck insights` and `deck tracking`: who read a deck, and where they stopped. Also `deck webhooks`. */

withTestbed();

const LONG = '第四四半期の売上高と利益の見通しについての詳しい説明資料';

interface View {
  startedAt: string;
  tokenName: string;
  seconds: number;
  maxSlide: number;
}
const views = async (...args: string[]) => (await done<{ views: View[] }>('views', ...args)).views;
/** A reader who sees so many of three slides. */
async function read(shareUrl: string, slides: number, seconds = 12): Promise<void> {
  const load = await (await aReader({ shareUrl })).load();
  const seen = Array.from({ length: slides }, (_, i) => slide(`slide-${i + 1}`, i, 4));
  // No more time is believed than has passed.
  await testbed.later(seconds);
  await load.tell({ seconds, slideCount: 3, slides: seen, current: `slide-${slides}` });
}
/** Adds the views to the insights, as the scheduler does each minute. */
const fold = async () => expect((await fetch(`${testbed.baseUrl}/foldInsights`, { method: 'POST' })).ok).toBe(true);

let readDeck: ReturnType<typeof makeReadDeck> | undefined;
/** A deck with two views by its default link, and one by another, for the tests that change nothing. */
const aReadDeck = () => (readDeck ??= makeReadDeck());
async function makeReadDeck() {
  const deck = await aDeck();
  const board = await addLink(deck.folder, LONG);
  await read(deck.shareUrl, 3, 70);
  await read(deck.shareUrl, 1);
  await read(board.shareUrl, 2);
  return { ...deck, board };
}

test('views are listed newest first with when, who, how long and how far, filtered and in pages', async () => {
  const { folder, presentationId } = await aReadDeck();
  const listed = await views(folder);
  expect(listed.map(({ tokenName, maxSlide }) => [tokenName, maxSlide])).toEqual([
    [LONG, 2],
    ['default', 1],
    ['default', 3],
  ]);
  expect(await views(presentationId)).toEqual(listed);
  expect(await views(folder, '--link', LONG)).toEqual(listed.slice(0, 1));
  const [to = '', from = ''] = [listed[0]!, listed[2]!].map(({ startedAt }) => startedAt.slice(0, 10));
  expect(await views(folder, '--from', from, '--to', to)).toEqual(listed);
  expect(await views(folder, '--to', '2020-01-01')).toEqual([]);
  expect(await views(folder, '--email', 'ada@example.com')).toEqual([]);
  expect(await views(folder, '--version', '1')).toEqual(listed);
  expect(await views(folder, '--version', '2')).toEqual([]);
  const page = await done<{ views: View[]; nextCursor: string }>('views', folder, '--limit', '2');
  expect([...page.views, ...(await views(folder, '--limit', '2', '--cursor', page.nextCursor))]).toEqual(listed);
  const lines = (await shown('views', folder)).trimEnd().split('\n');
  expect(lines[1]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}default +12 s {8}to slide 1 of 3 {2}desktop$/);
  expect(lines[2]).toMatch(/1 min 10 s {2}to the end \(3\)/);
  expect(await shown('views', folder, '--limit', '1')).toMatch(/\nOlder views: deck views --cursor \S+ --deck /);
});

test('nothing is recorded of a deck with the tracking "count", which its info says', async () => {
  const { folder, shareUrl } = await aDeck();
  expect(await shown('views', folder)).toBe('Nobody has viewed the deck yet.\n');
  expect(await done('tracking', 'count', '--deck', folder)).toMatchObject({ tracking: 'count' });
  await read(shareUrl, 1);
  expect(await views(folder)).toEqual([]);
  expect(await shown('info', folder)).toContain('loads are counted, visits are not recorded');
  expect(await done('tracking', 'full', '--deck', folder)).toMatchObject({ tracking: 'full' });
  await read(shareUrl, 1);
  expect(await views(folder)).toHaveLength(1);
});

test('insights tell of days, slides and links, of all decks, and of one link or version', async () => {
  const { folder, presentationId } = await aReadDeck();
  await fold();
  const all = await done('insights', folder);
  expect(all).toMatchObject({
    presentationId,
    views: 3,
    people: 3,
    bySlide: [
      { key: 'slide-1', views: 3, exits: 1 },
      { key: 'slide-2', views: 2, exits: 1 },
      { key: 'slide-3', views: 1, exits: 1 },
    ],
    byLink: [
      { tokenName: 'default', views: 2 },
      { tokenName: LONG, views: 1 },
    ],
  });
  expect(await done('insights', folder, '--link', LONG)).toMatchObject({ views: 1 });
  expect(await done('insights', folder, '--version', '1')).toMatchObject({ views: 3 });
  expect(await done('insights', '--all')).toMatchObject({ byDeck: listing(presentationId) });
  // In a folder that was not pushed.
  const { stdout } = await computer.deckIn(await testbed.aFolder({ 'index.html': 'x' }), ['insights']);
  expect(stdout).toMatch(/ by \d+ people\n[^]*\nDecks\n {2}Talk/);
  const text = await shown('insights', folder);
  expect(text).toMatch(/\nSlides[^\n]*\n {2}1 SLIDE-1 {2}█+ +4 s, 3 views, 1 left here\n/);
  expect(text).toMatch(/\nLinks\n {2}default {2,}█+ +2 views by 2 people/);
});

test('figures and views fit a terminal of 80 and of 40 columns, with wide letters too, and have no colour without one', async () => {
  const { folder } = await aReadDeck();
  await fold();
  for (const columns of [80, 40])
    for (const command of ['views', 'insights']) {
      const { stdout } = await computer.deck([command, folder], { COLUMNS: String(columns) });
      const lines = stdout.trimEnd().split('\n');
      expect(lines.length).toBeGreaterThan(2);
      expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
      expect(stripVTControlCharacters(stdout)).toBe(stdout);
    }
});

test('CSV has every view, and every figure with its name, and nothing that a spreadsheet runs', async () => {
  const { folder, shareUrl } = await aDeck();
  const formula = await addLink(folder, '=1+1');
  await read(shareUrl, 1);
  await read(formula.shareUrl, 2);
  await fold();
  const [head, ...rows] = (await shown('views', folder, '--csv')).trimEnd().split('\n');
  expect(head).toMatch(/^viewId,/);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toContain(`,'=1+1,`);
  const filtered = ['--link', '=1+1', '--version', '1', '--from', '2020-01-01'];
  expect((await shown('views', folder, '--csv', ...filtered)).trimEnd().split('\n')).toEqual([head, rows[0]]);
  const figures = (await shown('insights', folder, '--csv')).split('\n');
  expect(figures[0]).toBe('of,key,name,views,people,seconds,medianSeconds,exits,lastSeenAt');
  expect(figures).toContainEqual(expect.stringMatching(/^slide,slide-1,SLIDE-1,2,,,4(\.\d+)?,1,$/));
  expect(figures).toContainEqual(expect.stringMatching(/^link,[^,]+,'=1\+1,1,1,12,,,\d{4}-/));
});

test('the log of mails tells that a recipient has read to the end', async () => {
  const { folder } = await aDeck();
  const to = testbed.anEmail();
  const { sent } = await done<{ sent: { shareUrl: string }[] }>('email', to, '--deck', folder);
  expect(await shown('email', '--log', '--deck', folder)).toContain('sent, not opened\n');
  await read(sent[0]!.shareUrl, 3);
  await fold();
  expect(await shown('email', '--log', '--deck', folder)).toContain('sent, opened 1 time, read to the end (3)\n');
  expect(await shown('views', folder)).toContain(`mailed to ${to}`);
});

test('wrong filters are named', async () => {
  const { folder } = await aDeck();
  for (const [code, exit, ...args] of [
    ['wrong-day', 1, 'views', folder, '--from', '2026-02-30'],
    ['usage', 2, 'views', folder, '--limit', '101'],
    ['usage', 2, 'views', folder, '--csv', '--limit', '1'],
    ['no-such-link', 1, 'views', folder, '--link', 'none'],
    ['wrong-day', 1, 'insights', folder, '--from', '2020-01-01'],
    ['usage', 2, 'insights', folder, '--all'],
    ['usage', 2, 'insights', folder, '--link', 'default', '--version', '1'],
    ['not-pushed', 1, 'insights', '--link', 'default'],
    ['usage', 2, 'tracking', 'some', '--deck', folder],
  ] as [string, number, ...string[]][])
    expect([args, await refused(...args)]).toMatchObject([args, { code, exit }]);
});

const listing = (presentationId: string) =>
  expect.arrayContaining([expect.objectContaining({ presentationId })]) as object;

/** The columns of a line, of which a Chinese or Japanese letter takes two. */
const widthOf = (line: string) => [...line].reduce((sum, letter) => sum + (/[\u3000-\u9fff]/.test(letter) ? 2 : 1), 0);

// Over the same service.
proveWebhooks();
