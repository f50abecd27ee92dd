import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fate } from './fault-proxy';
import { inTerminal, withTestbed, type Computer, type Testbed } from './testbed';

interface Link {
  id: string;
  name: string;
  state: string;
  shareUrl: string;
}

let testbed: Testbed;
let computer: Computer;
withTestbed((made) => ({ testbed, computer } = made));

const done = <T>(...args: string[]) => computer.done<T>(...args);
const refused = (...args: string[]) => computer.refused(...args);
const list = async (folder: string, ...more: string[]) =>
  (await done<{ links: Link[] }>('links', folder, ...more)).links;
const add = async (folder: string, name: string, ...more: string[]) =>
  (await done<{ link: Link }>('links', 'add', name, '--deck', folder, ...more)).link;

/** A pushed folder. */
async function aDeck() {
  const folder = await testbed.aFolder({ 'index.html': '<title>Talk</title>one' });
  const pushed = await done<{ presentationId: string; shareUrl: string }>('push', folder, '--no-thumbnail');
  return { folder, ...pushed };
}

const visit = async (shareUrl: string) => (await testbed.visit(shareUrl)).status;

describe('the links of a deck', () => {
  test('are listed with their version, views and state, and revoked ones only with --all', async () => {
    const { folder, presentationId, shareUrl } = await aDeck();
    const board = await add(folder, 'board', '--pin', '1');
    await writeFile(join(folder, 'index.html'), '<title>Talk</title>two');
    await done('push', folder, '--no-thumbnail');
    for (const url of [shareUrl, shareUrl, board.shareUrl]) expect(await visit(url)).toBe(200);
    const lastOpenedAt = expect.stringMatching(/Z$/) as string;
    expect(await list(folder)).toMatchObject([
      { name: 'default', pinnedVersion: null, views: 2, state: 'active', shareUrl },
      { name: 'board', pinnedVersion: 1, views: 1, state: 'active', lastOpenedAt },
    ]);
    expect(await list(presentationId)).toEqual(await list(folder));
    const change = (...words: string[]) => done('links', ...words, '--deck', folder);
    expect(await change('follow', 'board')).toMatchObject({ link: { pinnedVersion: null, servedVersion: 2 } });
    expect(await change('pin', board.id, '1')).toMatchObject({ link: { pinnedVersion: 1, servedVersion: 1 } });
    const { id, shareUrl: address } = board;
    expect(await change('rename', id, 'crew')).toMatchObject({ link: { id, name: 'crew', shareUrl: address } });
    for (const alreadyRevoked of [false, true])
      expect(await change('revoke', 'crew')).toMatchObject({ revoked: [{ name: 'crew', alreadyRevoked }] });
    expect(await visit(address)).toBe(403);
    expect((await list(folder)).map(({ name }) => name)).toEqual(['default']);
    expect((await list(folder, '--all')).map(({ state }) => state)).toEqual(['active', 'revoked']);
    const text = await computer.deck(['links', folder]);
    expect(text.stdout).toContain(`  ${shareUrl}\n1 revoked link not shown`);
  });

  test('name what does not exist, and what is wrong', async () => {
    const { folder } = await aDeck();
    for (const [code, exit, ...words] of [
      ['no-such-version', 1, 'pin', 'default', '9'],
      ['usage', 2, 'pin', 'default', 'x'],
      ['no-such-link', 1, 'pin', 'none', '1'],
      ['usage', 2, 'revoke'],
      ['usage', 2, folder],
      ['wrong-name', 1, 'add', 'x'.repeat(256)],
      ['wrong-name', 1, 'rename', 'default', ' '],
    ] as [string, number, ...string[]][])
      expect([words, await refused('links', ...words, '--deck', folder)]).toMatchObject([words, { code, exit }]);
    expect(await refused('links', '01890000-0000-7000-8000-000000000000')).toMatchObject({ code: 'not-found' });
  });

  test('with hostile names take one line each, and are revoked by what is shown', async () => {
    const { folder } = await aDeck();
    const names = ['\u001b[2J\u001b]0;x\u0007', 'y'.repeat(255), '\u202Eevil', '日本\nfake  active', '-x'];
    for (const name of names)
      expect((await computer.deck(['links', 'add', '--deck', folder, '--', name])).code).toBe(0);
    const { stdout } = await computer.deck(['links', folder]);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    // A title, and two lines for each link.
    expect(stdout.trimEnd().split('\n')).toHaveLength(1 + 2 * (1 + names.length));
    for (const name of ['evil', 'y'.repeat(255)]) await done('links', 'revoke', name, '--deck', folder);
    expect(await list(folder)).toHaveLength(names.length - 1);
  });

  test('with one name are told apart by their ids', async () => {
    const { folder } = await aDeck();
    const [one, two] = [await add(folder, 'twin'), await add(folder, 'twin')];
    const error = await refused('links', 'revoke', 'twin', '--deck', folder);
    expect(error).toMatchObject({ code: 'ambiguous-link', exit: 1 });
    for (const { id } of [one, two]) expect(error.message).toContain(id);
    await done('links', 'revoke', one.id, '--deck', folder);
    // One active link has the name now.
    expect(await done('links', 'pin', 'twin', '1', '--deck', folder)).toMatchObject({ link: { id: two.id } });
    expect(await refused('links', 'follow', one.id, '--deck', folder)).toMatchObject({ code: 'revoked-link' });
  });

  inTerminal('are all revoked with --yes only, or after a question in a terminal', async () => {
    const { folder, shareUrl } = await aDeck();
    const all = ['links', 'revoke', '--all', '--deck', folder];
    expect(await refused(...all)).toMatchObject({ code: 'usage', exit: 2 });
    for (const [answer, exitCode, status] of [
      ['n', 1, 200],
      ['y', 0, 403],
    ] as const) {
      const screen = computer.inTerminal(all);
      await screen.shows('Revoke 1 link of "Talk"?');
      await screen.shows('[y/N]');
      screen.type(`${answer}\r`);
      expect([await screen.exitCode(), await visit(shareUrl)]).toEqual([exitCode, status]);
    }
    expect(await done(...all, '--yes')).toMatchObject({ revoked: [] });
  });

  test('are made once when the answer is lost, and are not pinned when somebody else revokes them meanwhile', async () => {
    const { folder } = await aDeck();
    testbed.proxy.watch = ({ name, number }) =>
      name === 'addPresentationToken' && number === 1 ? 'lose the answer' : 'forward';
    const made = await add(folder, 'once');
    expect(await list(folder)).toMatchObject([{ name: 'default' }, { id: made.id, shareUrl: made.shareUrl }]);
    testbed.proxy.watch = async ({ name }): Promise<Fate> => {
      if (name === 'setTokenVersionMode') {
        testbed.proxy.reset();
        await done('links', 'revoke', 'default', '--deck', folder);
      }
      return 'forward';
    };
    expect(await refused('links', 'pin', 'default', '1', '--deck', folder)).toMatchObject({ code: 'revoked-link' });
  });
});

describe('the mails of a deck', () => {
  interface Log {
    mails: { email: string; code: string | null; link?: { views: number; state: string } }[];
    nextCursor: string | null;
  }

  test('tell the result for each recipient, and are listed page by page with what became of them', async () => {
    const { folder } = await aDeck();
    const [grace, alan] = [testbed.anEmail(), testbed.anEmail()];
    const mailed = await computer.deck(['email', grace, alan, 'nobody', '--message', 'Hello', '--deck', folder]);
    const result = new RegExp(`✓ ${grace} +sent\n✓ ${alan} +sent\n✗ nobody +That is not an email`);
    expect([mailed.code, mailed.stdout]).toEqual([0, expect.stringMatching(result)]);
    const inbox = await (await fetch(`${testbed.mailUrl}/messages?to=${encodeURIComponent(grace)}`)).json();
    expect(inbox).toMatchObject({ messages: [{ text: expect.stringContaining('Hello') }] });
    const own = (await list(folder)).find(({ name }) => name === grace);
    expect(await visit(own!.shareUrl)).toBe(200);
    await done('links', 'revoke', alan, '--deck', folder);
    const log = ['email', '--log', '--limit', '2', '--deck', folder];
    const first = await done<Log>(...log);
    const second = await done<Log>(...log, '--cursor', first.nextCursor!);
    expect([first.mails.length, second.mails.length, second.nextCursor]).toEqual([2, 1, null]);
    const of = (address: string) => [...first.mails, ...second.mails].find(({ email }) => email === address);
    expect(of(grace)?.link).toMatchObject({ views: 1, state: 'active' });
    expect(of(alan)?.link).toMatchObject({ views: 0, state: 'revoked' });
    expect(of('nobody')).toMatchObject({ code: 'invalid-email' });
    const { stdout } = await computer.deck(['email', '--log', '--deck', folder]);
    expect(stdout).toMatch(new RegExp(`${grace} +sent, opened 1 time\n`));
    expect(stdout).toMatch(new RegExp(`${alan} +sent, not opened, link revoked\n`));
  });

  test('refuse a wrong address before they are sent, and carry one link for all with --link', async () => {
    const { folder } = await aDeck();
    const to = testbed.anEmail();
    expect(await refused('email', 'nobody', '--deck', folder)).toMatchObject({ code: 'wrong-address', exit: 2 });
    expect(await refused('email', '--deck', folder)).toMatchObject({ code: 'usage', exit: 2 });
    const absent = await refused('email', to, '--link', 'none', '--deck', folder);
    expect(absent).toMatchObject({ code: 'no-such-link' });
    const { shareUrl } = await add(folder, 'board');
    const sent = await done('email', to, '--link', 'board', '--deck', folder);
    expect(sent).toMatchObject({ sent: [{ email: to, shareUrl }] });
    await done('expire', '7d', '--deck', folder);
    await testbed.later(8 * 86_400);
    expect((await refused('email', to, '--deck', folder)).nextAction).toContain('deck expire');
  });
});

test('the expiry of a deck is a duration, a date or a time, and is told in local time and in UTC', async () => {
  const { folder } = await aDeck();
  const expire = (when: string, env = {}) => computer.deck(['expire', when, '--deck', folder], env);
  const TZ = 'Pacific/Auckland';
  expect((await expire('2031-01-31', { TZ })).stdout).toBe(
    '✓ The links stop opening at 2031-02-01 00:00 (UTC+13:00), that is 2031-01-31T11:00:00.000Z\n',
  );
  expect((await expire('2031-01-31T18:00', { TZ })).stdout).toContain('2031-01-31T05:00:00.000Z');
  expect((await expire('2031-01-31T18:00:00Z')).stdout).toContain('2031-01-31T18:00:00.000Z');
  expect((await expire('never')).stdout).toBe('✓ The links do not expire.\n');
  for (const when of ['2031-02-30', '2020-01-01', '0d', '-1d', 'tomorrow', '2031-13-01', '99999-01-01', '']) {
    const ended = await computer.deck(['expire', '--deck', folder, '--', when]);
    expect([when, ended.code]).toEqual([when, 2]);
  }
});

test('the collaborators of a deck are invited, listed with their state, and removed', async () => {
  const { folder } = await aDeck();
  const [pending, active] = [testbed.anEmail(), testbed.anEmail()];
  const dev = await testbed.aSignedInComputer(active);
  for (const email of [pending, active])
    await done('collaborators', 'invite', email, '--deck', folder, '--message', 'Hi');
  const shown = async (...more: string[]) => (await computer.deck(['collaborators', folder, ...more])).stdout;
  expect(await shown()).toMatch(new RegExp(`${pending} .*no account yet\n.*${active} .*active since`));
  expect(await dev.done('list', '--search', 'talk')).toMatchObject({ decks: [{ role: 'dev' }] });
  await done('collaborators', 'remove', active, '--deck', folder);
  expect(await shown()).not.toContain(active);
  expect(await shown('--all')).toMatch(new RegExp(`${active} .*removed`));
  const remove = (email: string) => refused('collaborators', 'remove', email, '--deck', folder);
  expect(await remove('nobody')).toMatchObject({ code: 'wrong-address' });
  expect(await remove('nobody@example.com')).toMatchObject({ code: 'not-found' });
});

test('deck info shows what the service knows about a deck', async () => {
  const { folder, presentationId: id, shareUrl } = await aDeck();
  await visit(shareUrl);
  await add(folder, 'board');
  const expiresAt = '2031-01-31T18:00:00.000Z';
  await done('expire', expiresAt, '--deck', folder);
  const versions = { count: 1, fileCount: 1 };
  const links = [{ name: 'default' }, { name: 'board' }];
  const deck = { id, title: 'Talk', role: 'owner', version: 1, totalViews: 1, shareUrl, expiresAt, versions, links };
  expect(await done('info', folder)).toMatchObject({ ...deck, listing: null });
  const { stdout } = await computer.deck(['info', id], { TZ: 'UTC' });
  expect(stdout).toMatch(/views +1 view, last .*\n +expires +2031-01-31 18:00\n +links +2 active, 0 revoked\n/);
});
