import { followAt } from '../support/live-stream';
import { aLiveDeck, live, type Live } from './live-decks';
import {
  aDeck,
  addLink,
  aDev,
  computer,
  done,
  inTerminal,
  refused,
  shown,
  testbed,
  told,
  withTestbed,
  words,
} from './testbed';

/** `deck live`: a session is started, steered and ended from a terminal. */

withTestbed();

const ticketOf = ({ presenterUrl }: Live) => presenterUrl.split('#present=')[1]!;

test('a session is started once, found again, and ended once', async () => {
  const { folder, shareUrl, started } = await aLiveDeck();
  expect(started).toMatchObject({ audienceUrl: shareUrl, followers: 0, hasPresenter: false, slide: null });
  expect(await live(folder)).toMatchObject({ liveId: started.liveId });
  await addLink(folder, 'board');
  expect(told(await refused('live', folder, '--link', 'board'))).toMatchObject({
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
  const { dev } = await aDev(folder);
  expect(told(await dev.refused('live', presentationId))).toMatchObject({
    code: 'permission-denied',
    nextAction: words('--link'),
  });
  const { id, shareUrl } = await addLink(folder, 'board');
  expect(await dev.done('live', presentationId, '--link', id)).toMatchObject({ audienceUrl: shareUrl });
});

test('without a terminal it shows the addresses and the QR code, and ends', async () => {
  const { folder, started } = await aLiveDeck();
  const text = await shown('live', folder);
  for (const each of [started.presenterUrl.split('=')[0]!, started.audienceUrl, 'live --end'])
    expect(text).toContain(each);
  const code = text.split('\n').filter((line) => /^[█▀▄ ]{20,}$/.test(line));
  // Each line has two rows of modules.
  expect(code.length).toBe(Math.ceil(code[0]!.length / 2));
  const { stdout } = await computer.deck(['live', folder], { CI: '1' });
  expect(stdout).not.toContain(ticketOf(started));
});

inTerminal('keys move the page that presents, and the command leaves the session running', async () => {
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
