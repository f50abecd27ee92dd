import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { eventTypes } from '../../functions/src/contract/events';
import { followAt } from '../support/live-stream';
import { startReceiver, type Receiver } from '../support/receiver';
import { aReader, slide } from '../support/views';
import * as bed from './testbed';
import { addLink, aDeck, computer, done, refused, shown, testbed, withTestbed, words } from './testbed';

/**
 * `deck views`, `deck insights` and `deck tracking`: who read a deck, and where they stopped. `deck webhooks`: events
 * that go to a program. `deck live`: a session is started, steered and ended from a terminal.
 */

// An instance counts its streams each third beat.
process.env['LIVE_BEAT_MS'] = '100';
withTestbed();

const LONG = '第四四半期の売上高と利益の見通しについての詳しい説明資料';

type View = Record<'startedAt' | 'tokenName', string> & { maxSlide: number };
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

/** A deck with two views by its default link, and one by another, for the tests that change nothing. */
let readDeck: bed.Pushed & { folder: string };
beforeAll(async () => {
  readDeck = await aDeck();
  const board = await addLink(readDeck.folder, LONG);
  await read(readDeck.shareUrl, 3, 70);
  await read(readDeck.shareUrl, 1);
  await read(board.shareUrl, 2);
});

test('views are listed newest first with when, who, how long and how far, filtered and in pages', async () => {
  const { folder, presentationId } = readDeck;
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

test('a deck without views says so, and its info tells when only loads are counted', async () => {
  const { folder } = await aDeck();
  expect(await shown('views', folder)).toBe('Nobody has viewed the deck yet.\n');
  expect(await done('tracking', 'count', '--deck', folder)).toMatchObject({ tracking: 'count' });
  expect(await shown('info', folder)).toContain('loads are counted, visits are not recorded');
  expect(await done('tracking', 'full', '--deck', folder)).toMatchObject({ tracking: 'full' });
});

test('insights tell of days, slides and links, of all decks, and of one link or version', async () => {
  const { folder, presentationId } = readDeck;
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
  const { folder } = readDeck;
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

describe('deck webhooks', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  const verified = ({ body, headers }: Receiver['received'][number], secret: string) =>
    new Webhook(secret).verify(body, headers as Record<string, string>);

  type Added = { webhook: { webhookId: string; events: string[] }; secret: string };
  test('a webhook is added, tried, looked at, rotated, disabled and removed', async () => {
    const add = ['webhooks', 'add', receiver.url, '--events', 'link.created, view.ended', '--description', 'CRM'];
    testbed.proxy.loseAnswer('createWebhook');
    const { webhook, secret } = await done<Added>(...add);
    const { webhookId } = webhook;
    expect(webhook.events).toEqual(['link.created', 'view.ended']);
    const tested = await done<{ delivery: { deliveryId: string } }>('webhooks', 'test', receiver.url);
    expect(tested).toMatchObject({ delivery: { type: 'test', status: 'delivered', lastStatus: 204 } });
    const [got] = receiver.received;
    expect(verified(got!, secret)).toMatchObject({ type: 'test' });
    receiver.answer = (res) => void res.writeHead(500).end('not\nnow');
    expect(await shown('webhooks', 'test', webhookId)).toContain('Status 500: not now');
    const listed = await done<{ deliveries: object[] }>('webhooks', 'deliveries', webhookId);
    expect(listed.deliveries).toMatchObject([{ status: 'failed' }, { status: 'delivered' }]);
    expect(await shown('webhooks')).toMatch(/link\.created, view\.ended +active\n1 of 10 webhooks/);
    const rotated = await done<{ secret: string }>('webhooks', 'rotate', webhookId);
    expect(rotated.secret).not.toBe(secret);
    await done('webhooks', 'disable', webhookId);
    expect(await shown('webhooks')).toContain('disabled');
    await done('webhooks', 'enable', webhookId);
    await done('webhooks', 'remove', receiver.url);
    expect(await refused('webhooks', 'test', webhookId)).toMatchObject({ code: 'no-such-webhook' });
  });

  test('what the service refuses is said in words of the command', async () => {
    expect(await refused('webhooks', 'add', 'ftp://example.com')).toMatchObject({ code: 'wrong-address' });
    const unknownEvent = await refused('webhooks', 'add', receiver.url, '--events', 'link.open');
    const nextAction = words('deck webhooks add --help');
    expect(unknownEvent).toMatchObject({ code: 'wrong-event', exit: 2, message: words('Send types'), nextAction });
    const listed = /The types of events: ([^]*?)\.\n/.exec(await shown('webhooks', 'add', '--help'))?.[1] ?? '';
    const types = listed.split(';').flatMap((group) => {
      const [first = ''] = group.trim().split('.');
      return [...group.matchAll(/\.(\w+)/g)].map(([, last]) => `${first}.${last}`);
    });
    expect(types).toEqual(Object.keys(eventTypes));
  });

  test('listen shows the events from now on, and forwards them with signatures', async () => {
    const { folder } = await aDeck();
    // After the question where the feed ends, and before the first one for events.
    // A later event waits for the next poll.
    testbed.proxy.before('listEvents', async (number) => {
      if (number !== 2) return;
      await addLink(folder, 'board');
      // The feed answers what is older than an attempt of the database.
      await testbed.later(60);
    });
    const listen = ['webhooks', 'listen', '--forward', receiver.url, '--events', 'link.created'];
    const { process: child } = computer.start(listen);
    let out = '';
    child.stdout!.on('data', (text: Buffer) => (out += text.toString()));
    const saying = async (text: string) => {
      while (!out.includes(text)) await once(child.stdout!, 'data');
    };
    await saying('Waiting for events');
    await saying('link.created');
    child.kill('SIGINT');
    await once(child, 'close');
    const [got, ...more] = receiver.received;
    const secret = /whsec_\S+/.exec(out)![0];
    const event = { type: 'link.created', data: { link: { name: 'board' } } };
    expect([verified(got!, secret), more]).toMatchObject([event, []]);
    expect(out).toMatch(/link\.created {2}204/);
  });
});

describe('deck live', () => {
  type Live = Record<'liveId' | 'presenterUrl' | 'audienceUrl', string>;
  const live = (...args: string[]) => done<Live>('live', ...args);

  async function aLiveDeck() {
    const { folder, shareUrl } = await aDeck();
    return { folder, shareUrl, started: await live(folder) };
  }

  const ticketOf = ({ presenterUrl }: Live) => presenterUrl.split('#present=')[1]!;

  test('a session is started once, found again, and ended once', async () => {
    const { folder, shareUrl, started } = await aLiveDeck();
    expect(started).toMatchObject({ audienceUrl: shareUrl, followers: 0, hasPresenter: false, slide: null });
    expect(await live(folder)).toMatchObject({ liveId: started.liveId });
    await addLink(folder, 'board');
    expect(await refused('live', folder, '--link', 'board')).toMatchObject({
      code: 'conflict',
      nextAction: words(`live --end --deck ${folder}`),
    });
    expect(await done('live', folder, '--end')).toMatchObject({ ended: true });
    expect(await done('live', folder, '--end')).toMatchObject({ ended: false });
    const { liveId, audienceUrl } = await live(folder, '--link', 'board');
    expect([liveId === started.liveId, audienceUrl === shareUrl]).toEqual([false, false]);
  });

  test('a collaborator presents by the id of an open link', async () => {
    const { folder, presentationId } = await aDeck();
    const { dev } = await bed.aDev(folder);
    expect(await dev.refused('live', presentationId)).toMatchObject({
      code: 'permission-denied',
      nextAction: words('--link'),
    });
    const { id, shareUrl } = await addLink(folder, 'board');
    expect(await dev.done('live', presentationId, '--link', id)).toMatchObject({ audienceUrl: shareUrl });
  });

  test('without a terminal it shows the addresses and the QR code, and ends', async () => {
    const { folder, started } = await aLiveDeck();
    const { stdout: text } = await computer.deck(['live', folder]);
    for (const each of [started.presenterUrl.split('=')[0]!, started.audienceUrl, 'live --end'])
      expect(text).toContain(each);
    const code = text.split('\n').filter((line) => /^[█▀▄ ]{20,}$/.test(line));
    // Each line has two rows of modules.
    expect(code.length).toBe(Math.ceil(code[0]!.length / 2));
    const { stdout } = await computer.deck(['live', folder], { CI: '1' });
    expect(stdout).not.toContain(ticketOf(started));
  });

  bed.inTerminal('keys move the page that presents, and the command leaves the session running', async () => {
    const { folder, started } = await aLiveDeck();
    const screen = computer.inTerminal(['live', folder]);
    await screen.shows('No page presents');
    const own = await followAt(testbed.baseUrl, ticketOf(started));
    await screen.shows('0 readers follow');
    for (const [key, command] of [
      ['n', 'next'],
      ['\x1b[D', 'previous'],
      ['\x1b[6~', 'next'],
    ] as const) {
      screen.type(key);
      expect((await own.next('command')).data).toEqual({ command });
    }
    const slide = { key: 'agenda', title: 'Agenda', index: 3, count: 24 };
    await testbed.post(computer, 'moveLiveSession', { ticket: ticketOf(started), sequence: 1, slide });
    await screen.shows('Slide 4 of 24: Agenda');
    screen.type('q');
    await screen.shows(`live --end --deck ${folder}`);
    expect(await screen.exitCode()).toBe(0);

    const again = computer.inTerminal(['live', folder]);
    await again.shows('Slide 4 of 24');
    again.type('\x03');
    await again.shows('live --end');
    expect(await again.exitCode()).toBe(130);
    own.leave();
    expect(await live(folder)).toMatchObject({ liveId: started.liveId });
  });
});
