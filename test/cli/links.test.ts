import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { proveLinkRules } from './link-rules';
import { proveMarketplace } from './marketplace';
import { withPublisher } from './publisher';
import { aHistory } from './pulled-folders';
import * as bed from './testbed';
import { aDeck, computer, done, fill, inTerminal, push, refused, shown, testbed, withTestbed, words } from './testbed';

/** The commands about a deck that was pushed: its links, mails and people, its versions, its name and its end. */

withTestbed();

type Link = Record<'name' | 'state' | 'shareUrl', string>;
const list = async (folder: string, ...more: string[]) =>
  (await done<{ links: Link[] }>('links', folder, ...more)).links;
const visit = async (shareUrl: string) => (await testbed.visit(shareUrl)).status;
const call = (name: string, body: object) => testbed.post(computer, name, body);

describe('the links of a deck', () => {
  test('are what a shell completes, as decks and profiles are, and nothing is printed where they are not known', async () => {
    const { folder, presentationId } = await aDeck();
    const complete = async (...words: string[]) => (await computer.deck(['complete', ...words])).stdout.split('\n');
    for (const deck of [folder, presentationId])
      expect(await complete('links', '--deck', deck)).toContain('default\ta link');
    expect(await complete('decks')).toContainEqual(expect.stringContaining(`${presentationId}\t`));
    expect((await complete('profiles')).length).toBeGreaterThan(1);
    expect(await complete('links', '--deck', '/none')).toEqual(['']);
    expect(await complete('decks', '--base-url', 'http://127.0.0.1:9')).toEqual(['']);
  });

  test('are listed with their version, views and state, and revoked ones only with --all', async () => {
    const { folder, presentationId, shareUrl } = await aDeck();
    const board = await bed.addLink(folder, 'board', '--pin', '1');
    await fill(folder, { 'index.html': '<title>Talk</title>two' });
    await push(folder);
    for (const url of [shareUrl, shareUrl, board.shareUrl]) expect(await visit(url)).toBe(200);
    const lastOpenedAt = expect.stringMatching(/Z$/) as string;
    expect(await list(folder)).toMatchObject([
      { name: 'default', pinnedVersion: null, views: 2, state: 'active', shareUrl },
      { name: 'board', pinnedVersion: 1, views: 1, state: 'active', lastOpenedAt },
    ]);
    expect(await list(presentationId)).toEqual(await list(folder));
    const { id, shareUrl: address } = board;
    for (const [link, ...command] of [
      [{ pinnedVersion: null, servedVersion: 2 }, 'follow', 'board'],
      [{ pinnedVersion: 1, servedVersion: 1 }, 'pin', id, '1'],
      [{ id, name: 'crew', shareUrl: address }, 'set', id, '--name', 'crew'],
    ] as [object, ...string[]][])
      expect(await done('links', ...command, '--deck', folder)).toMatchObject({ link });
    const revoke = () => done('links', 'revoke', 'crew', '--deck', folder);
    for (const alreadyRevoked of [false, true])
      expect(await revoke()).toMatchObject({ revoked: [{ name: 'crew', alreadyRevoked }] });
    expect(await visit(address)).toBe(403);
    expect((await list(folder)).map(({ name }) => name)).toEqual(['default']);
    expect((await list(folder, '--all')).map(({ state }) => state)).toEqual(['active', 'revoked']);
    expect(await shown('links', folder)).toContain(`  ${shareUrl}\n1 revoked link not shown`);
  });

  test('name what does not exist, and what is wrong', async () => {
    const { folder } = await aDeck();
    for (const [code, exit, ...options] of [
      ['no-such-version', 1, 'pin', 'default', '9'],
      ['usage', 2, 'pin', 'default', 'x'],
      ['no-such-link', 1, 'pin', 'none', '1'],
      ['usage', 2, 'revoke'],
      ['usage', 2, folder],
      ['wrong-name', 1, 'add', 'x'.repeat(256)],
      ['wrong-name', 1, 'set', 'default', '--name', ' '],
      ['usage', 2, 'set', 'default'],
      ['usage', 2, 'set', 'default', '--expires', 'soon'],
      ['usage', 2, 'set', 'default', '--max-openings', '0'],
      ['usage', 2, 'set', 'default', '--notify', 'often'],
      ['wrong-number', 1, 'set', 'default', '--max-openings', '1000001'],
      ['wrong-address', 2, 'set', 'default', '--allow', 'example.com'],
      ['wrong-address', 2, 'add', 'press', '--allow', 'none,ada@example.com'],
    ] as [string, number, ...string[]][])
      expect([options, await refused('links', ...options, '--deck', folder)]).toMatchObject([options, { code, exit }]);
    expect(await refused('links', '01890000-0000-7000-8000-000000000000')).toMatchObject({ code: 'not-found' });
  });

  test('with hostile names take one line each, and are revoked by what is shown', async () => {
    const { folder } = await aDeck();
    const names = ['y'.repeat(255), '\u202Eevil\u202C', '日本\u2028fake  active', '-x'];
    for (const name of names)
      expect((await computer.deck(['links', 'add', '--deck', folder, '--', name])).code).toBe(0);
    const stdout = await shown('links', folder);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    // A title, and two lines for each link.
    expect(stdout.trimEnd().split('\n')).toHaveLength(1 + 2 * (1 + names.length));
    for (const name of ['evil', 'y'.repeat(255)]) await done('links', 'revoke', name, '--deck', folder);
    expect(await list(folder)).toHaveLength(names.length - 1);
  });

  test('with one name are told apart by their ids', async () => {
    const { folder } = await aDeck();
    const [one, two] = [await bed.addLink(folder, 'twin'), await bed.addLink(folder, 'twin')];
    const message = expect.stringMatching(`${one.id}[^]*${two.id}|${two.id}[^]*${one.id}`) as string;
    const ambiguous = { code: 'ambiguous-link', exit: 1, message };
    expect(await refused('links', 'revoke', 'twin', '--deck', folder)).toMatchObject(ambiguous);
    await done('links', 'revoke', one.id, '--deck', folder);
    // One active link has the name now.
    expect(await done('links', 'pin', 'twin', '1', '--deck', folder)).toMatchObject({ link: { id: two.id } });
    expect(await refused('links', 'follow', one.id, '--deck', folder)).toMatchObject({ code: 'revoked-link' });
    const over = ['past', '--expires', '1h'] as const;
    const [three, four] = [await bed.addLink(folder, ...over), await bed.addLink(folder, ...over)];
    await testbed.later(3700);
    const extend = ['links', 'set', 'past', '--expires', '7d', '--deck', folder];
    expect(await refused(...extend)).toMatchObject({ code: 'ambiguous-link' });
    await done('links', 'revoke', four.id, '--deck', folder);
    expect(await done(...extend)).toMatchObject({ link: { id: three.id } });
  });

  inTerminal('are all revoked with --yes only, or after a question in a terminal', async () => {
    const { folder, shareUrl } = await aDeck();
    const all = ['links', 'revoke', '--all', '--deck', folder];
    expect(await refused(...all)).toMatchObject({ code: 'usage', exit: 2 });
    for (const answer of ['n', 'y']) {
      const screen = computer.inTerminal(all);
      await screen.shows('Revoke 1 link of "Talk"?');
      await screen.answer('[y/N]', answer);
      expect([await screen.exitCode(), await visit(shareUrl)]).toEqual(answer === 'y' ? [0, 403] : [1, 200]);
    }
    expect(await done(...all, '--yes')).toMatchObject({ revoked: [] });
  });

  test('are made once when the answer is lost, and are not pinned when somebody else revokes them meanwhile', async () => {
    const { folder } = await aDeck();
    testbed.proxy.loseAnswer('addPresentationToken');
    const { id, shareUrl } = await bed.addLink(folder, 'once');
    expect(await list(folder)).toMatchObject([{ name: 'default' }, { id, shareUrl }]);
    testbed.proxy.before('setTokenVersionMode', async () => {
      testbed.proxy.reset();
      await done('links', 'revoke', 'default', '--deck', folder);
    });
    expect(await refused('links', 'pin', 'default', '1', '--deck', folder)).toMatchObject({ code: 'revoked-link' });
  });
});

describe('the mails of a deck', () => {
  test('tell the result for each recipient, and are listed page by page with what became of them', async () => {
    const { folder } = await aDeck();
    const [grace, alan] = [testbed.anEmail(), testbed.anEmail()];
    const mailed = await computer.deck(['email', grace, alan, 'nobody', '--message', 'Hello', '--deck', folder]);
    const result = new RegExp(`✓ ${grace} +sent\n✓ ${alan} +sent\n✗ nobody +That is not an email`);
    expect(mailed).toMatchObject({ code: 6, stdout: expect.stringMatching(result) as string });
    const inbox = await (await fetch(`${testbed.mailUrl}/messages?to=${encodeURIComponent(grace)}`)).json();
    expect(inbox).toMatchObject({ messages: [{ text: words('Hello') }] });
    expect(await visit((await list(folder)).find(({ name }) => name === grace)!.shareUrl)).toBe(200);
    await done('links', 'revoke', alan, '--deck', folder);
    const log = ['email', '--log', '--limit', '2', '--deck', folder];
    const first = await done<{ mails: object[]; nextCursor: string }>(...log);
    const second = await done<{ mails: object[] }>(...log, '--cursor', first.nextCursor);
    expect([first.mails.length, second.mails.length, second]).toMatchObject([2, 1, { nextCursor: null }]);
    const mails = [...first.mails, ...second.mails];
    const of = (address: string) => mails.find((mail) => (mail as { email: string }).email === address);
    const links = [{ link: { views: 1, state: 'active' } }, { link: { views: 0, state: 'revoked' } }];
    expect([grace, alan, 'nobody'].map(of)).toMatchObject([...links, { code: 'invalid-email' }]);
    const lines = await shown('email', '--log', '--deck', folder);
    for (const line of [`${grace} +sent, opened 1 time\n`, `${alan} +sent, not opened, link revoked\n`])
      expect(lines).toMatch(new RegExp(line));
    const part = await refused('email', grace, 'nobody', alan, '--deck', folder);
    const which = { sent: [{ email: grace }, { email: alan }], failed: [{ email: 'nobody', code: 'invalid-email' }] };
    const message = '1 of 3 mails was not sent.';
    expect(part).toMatchObject({ exit: 6, code: 'sent-in-part', message, details: which });
    expect(part.nextAction).toContain('send again to nobody only');
  });

  test('refuse a wrong address before they are sent, and carry one link for all with --link', async () => {
    const { folder } = await aDeck();
    const to = testbed.anEmail();
    for (const [code, ...options] of [
      ['wrong-address', 'nobody'],
      ['usage'],
      ['no-such-link', to, '--link', 'none'],
      ['usage', to, '--require-email', '--allow', '@example.com'],
      ['usage', to, '--link', 'default', '--expires', '7d'],
    ])
      expect(await refused('email', ...options, '--deck', folder)).toMatchObject({ code });
    const { shareUrl } = await bed.addLink(folder, 'board');
    const sent = await done('email', to, '--link', 'board', '--deck', folder);
    expect(sent).toMatchObject({ sent: [{ email: to, shareUrl }] });
    await done('expire', '7d', '--deck', folder);
    await testbed.later(8 * 86_400);
    expect((await refused('email', to, '--deck', folder)).nextAction).toContain('deck expire');
  });
});

test('the expiry of a deck is a duration, a date or a time, and is told in local time and in UTC', async () => {
  const { folder } = await aDeck();
  const TZ = 'Pacific/Auckland';
  const local = '✓ The links expire at 2031-01-31 23:59 (UTC+13:00), that is 2031-01-31T10:59:59.999Z\n';
  for (const [when, env, text] of [
    ['2031-01-31', { TZ }, local],
    // Midnight does not exist on the next day in Santiago, where the clocks change then.
    ['2031-09-06', { TZ: 'America/Santiago' }, 'at 2031-09-06 23:59 (UTC-04:00), that is 2031-09-07T03:59:59.999Z'],
    ['2031-01-31', { TZ: 'Pacific/Honolulu' }, 'at 2031-01-31 23:59 (UTC-10:00)'],
    ['2031-01-31T18:00', { TZ }, '2031-01-31T05:00:00.000Z'],
    ['2031-01-31T18:00:00Z', {}, '2031-01-31T18:00:00.000Z'],
    ['never', {}, '✓ The links do not expire.\n'],
  ] as const)
    expect((await computer.deck(['expire', when, '--deck', folder], env)).stdout).toContain(text);
  for (const when of ['2031-02-30', '2020-01-01', '0d', '-1d', 'tomorrow', '2031-13-01', '99999-01-01', ''])
    expect([when, await computer.deck(['expire', '--deck', folder, '--', when])]).toMatchObject([when, { code: 2 }]);
});

test('the collaborators of a deck are invited, listed with their state, removed, and may leave', async () => {
  const { folder, presentationId } = await aDeck();
  const [pending, active] = [testbed.anEmail(), testbed.anEmail()];
  const dev = await testbed.aSignedInComputer(active);
  const stranger = { code: 'permission-denied', nextAction: words('deck list') };
  expect(await dev.refused('leave', presentationId)).toMatchObject(stranger);
  const invite = (email: string) => done('collaborators', 'invite', email, '--deck', folder, '--message', 'Hi');
  for (const email of [pending, active]) await invite(email);
  const both = new RegExp(`${pending} .*no account yet\n.*${active} .*active since`);
  expect(await shown('collaborators', folder)).toMatch(both);
  const decksOf = async () => (await dev.done<{ decks: object[] }>('list', '--search', 'talk')).decks;
  expect(await decksOf()).toMatchObject([{ id: presentationId, role: 'dev' }]);
  await done('collaborators', 'remove', active, '--deck', folder);
  expect(await shown('collaborators', folder)).not.toContain(active);
  expect(await shown('collaborators', folder, '--all')).toMatch(new RegExp(`${active} .*removed`));
  const remove = async (email: string) => (await refused('collaborators', 'remove', email, '--deck', folder)).code;
  expect([await remove('nobody'), await remove('nobody@example.com')]).toEqual(['wrong-address', 'not-found']);
  await invite(active);
  for (let i = 0; i < 2; i++)
    expect(await dev.done('leave', presentationId)).toMatchObject({ status: 'left', presentationId });
  expect(await decksOf()).toEqual([]);
  expect(await refused('leave', presentationId)).toMatchObject({ exit: 1, code: 'is-owner' });
});

test('deck info shows what the service knows about a deck', async () => {
  const { folder, presentationId: id, shareUrl } = await aDeck();
  await visit(shareUrl);
  await bed.addLink(folder, 'board');
  const expiresAt = '2031-01-31T18:00:00.000Z';
  await done('expire', expiresAt, '--deck', folder);
  const deck = { id, title: 'Talk', role: 'owner', version: 1, totalViews: 1, shareUrl, expiresAt, listing: null };
  const contents = { versions: { count: 1, fileCount: 1 }, slides: { count: 0, pictures: 0 } };
  const links = [{ name: 'default' }, { name: 'board' }];
  expect(await done('info', folder)).toMatchObject({ ...deck, ...contents, links });
  const { stdout } = await computer.deck(['info', id], { TZ: 'UTC' });
  expect(stdout).toMatch(/slides +no pictures\n/);
  expect(stdout).toMatch(/views +1 view, last .*\n +expires +2031-01-31 18:00\n +links +2 active, 0 revoked\n/);
});

describe('deck versions', () => {
  test('lists who made each version, its message, and the links that are pinned to it, newest first', async () => {
    const { folder, id } = await aHistory();
    await bed.addLink(folder, 'Press', '--pin', '2');
    const versions = [
      { version: 3, isCurrent: true, createdByName: 'Ada', message: null, fileCount: 4, pinnedLinks: [] },
      { version: 2, isCurrent: false, message: 'More\n\u2067numbers\u2069', pinnedLinks: ['Press'] },
      { version: 1, isCurrent: false, fileCount: 3, pinnedLinks: [] },
    ];
    const told = { presentationId: id, currentVersion: 3, folderVersion: 3, versions };
    expect(await done('versions', folder)).toMatchObject(told);
    for (const target of [[folder], [id], ['--deck', folder]]) {
      const stdout = await shown('versions', ...target);
      expect(stdout).toMatch(/^ {3}3 .* Ada +4 files .*current/m);
      expect(stdout).toContain('pinned links: Press');
      expect(stdout).toMatch(/More\s+numbers/);
      expect(stdout).not.toMatch(/[\u2067\u2069]/);
    }
    const { dev } = await bed.aDev(id);
    const [newest] = (await dev.done<{ versions: object[] }>('versions', id)).versions;
    expect(newest).toMatchObject({ version: 3, createdByName: 'Ada' });
    expect(newest).not.toHaveProperty('pinnedLinks');
  });
});

describe('deck diff', () => {
  test('shows what a push of the folder would change, and says when the deck has a newer version', async () => {
    const { folder, id } = await aHistory();
    const nothing = { unchanged: 4, added: [], changed: [], removed: [], renamed: [] };
    const from = { from: 3, to: 'folder' };
    expect(await done('diff', '--deck', folder)).toMatchObject({ ...from, currentVersion: 3, ...nothing });
    await call('restorePresentationVersion', { presentationId: id, version: 1 });
    await fill(folder, {
      '.deckignore': 'b.txt\nc.txt',
      'a.txt': 'four!',
      'b.txt': '',
      'd.txt': 'd',
      'e.txt': 'bytes',
    });
    expect(await done('diff', '--deck', folder)).toMatchObject({
      ...from,
      currentVersion: 4,
      unchanged: 1,
      warnings: [{ code: 'newer-version' }],
      added: [{ path: 'd.txt', size: 1 }],
      changed: [{ path: 'a.txt', from: { size: 5 }, to: { size: 5 } }],
      removed: [{ path: 'c.txt' }],
      renamed: [{ from: 'b.txt', to: 'e.txt', size: 5 }],
    });
    // The dry run of the service counts a renamed file as one added and one removed.
    const changes = { changed: 1, unchanged: 1, added: 2, removed: 1 };
    expect(await push(folder, '--force', '--dry-run')).toMatchObject({ status: 'planned', version: 5, changes });
    const { stdout, stderr } = await computer.deck(['diff', '--deck', folder]);
    expect(stdout).toMatch(/renamed +5 B +b\.txt → e\.txt/);
    expect(stderr).toContain(`deck pull ${folder}`);
  });

  test('compares two versions as the service does, one version with the current one, and the last two of an id', async () => {
    const { folder, id } = await aHistory();
    const changed = [{ path: 'a.txt', from: { size: 3 }, to: { size: 5 } }];
    const both = { presentationId: id, from: 1, to: 3, unchanged: 2, added: [{ path: 'c.txt' }], changed };
    expect(await done('diff', '1', '3', '--deck', id)).toMatchObject(both);
    expect(await done('diff', '2', '--deck', folder)).toMatchObject({ from: 2, to: 3, changed: [{ path: 'a.txt' }] });
    expect(await done('diff', '--deck', id)).toMatchObject({ from: 2, to: 3 });
    expect(await shown('diff', '3', '1', '--deck', id)).toMatch(/changed +3 B +a\.txt \(was 5 B\)/);
    expect(await refused('diff', 'x', '--deck', id)).toMatchObject({ code: 'usage', exit: 2 });
    const message = 'The deck has no version 9; the newest is 3.';
    const absent = { code: 'not-found', exit: 1, message, nextAction: words('deck versions') };
    for (const command of ['diff 1 9', 'restore 9'])
      expect(await refused(...command.split(' '), '--deck', id)).toMatchObject(absent);
  });
});

test('deck rename changes the title of the deck and of its folder, so that a later push keeps it', async () => {
  const { folder, presentationId: id } = await aDeck();
  expect(await done('rename', ' Sales, Q3 ', '--deck', folder)).toMatchObject({ title: 'Sales, Q3' });
  await fill(folder, { 'index.html': '<title>Talk</title>two' });
  expect(await push(folder)).toMatchObject({ title: 'Sales, Q3', version: 2 });
  expect(await done('info', id)).toMatchObject({ title: 'Sales, Q3' });
  expect(await push(folder, '--title', 'Talk')).toMatchObject({ title: 'Talk', version: 3 });
  expect(await refused('rename', ' ', '--deck', id)).toMatchObject({ code: 'wrong-title', exit: 1 });
});

describe('deck delete', () => {
  test('is for the owner, needs --yes without a terminal, says what goes, and cleans the folder and the link', async () => {
    const { folder, id } = await aHistory();
    const notOwner = { exit: 3, code: 'permission-denied', nextAction: words(`deck leave ${id}`) };
    expect(await (await bed.aDev(id)).dev.refused('delete', id, '--yes')).toMatchObject(notOwner);
    const message = words('"Talk" with 3 versions, 1 link and 0 views');
    expect(await refused('delete', folder)).toMatchObject({ code: 'usage', exit: 2, message });
    const deleted = { status: 'deleted', versionsDeleted: 3, listingSlug: null };
    expect(await done('delete', folder, '--yes')).toMatchObject(deleted);
    expect(await readFile(join(computer.configFolder, 'deck', 'links.json'), 'utf8')).not.toContain(id);
    await expect(stat(join(folder, '.deck.json'))).rejects.toThrow('ENOENT');
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('three');
    const other = expect.not.stringMatching(id) as string;
    expect(await push(folder)).toMatchObject({ version: 1, presentationId: other });
    // A second call by the id completes a deletion that was interrupted.
    expect(await done('delete', id, '--yes')).toMatchObject({ status: 'deleted' });
    expect((await refused('delete', '01234567-89ab-cdef-0123-456789abcdef', '--yes')).code).toBe('not-found');
  });
});

// Over the same service, with one publisher.
withPublisher();
proveLinkRules();
proveMarketplace();
