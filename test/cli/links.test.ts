import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fate } from './fault-proxy';
import { Testbed, type Computer, type Ended } from './testbed';

interface Link {
  id: string;
  name: string;
  state: string;
  pinnedVersion: number | null;
  views: number;
  lastOpenedAt: string | null;
  shareUrl: string;
}
interface Failed {
  ok: boolean;
  exitCode: number;
  error: { code: string; message: string; nextAction?: string; details?: { links?: Link[] } };
}
interface Warned {
  shareUrl?: string;
  warnings?: { code?: string; message: string }[];
}

let testbed: Testbed;
let computer: Computer;
beforeAll(async () => {
  testbed = await Testbed.create();
  computer = await testbed.aSignedInComputer();
});
afterAll(() => testbed.close());
afterEach(() => testbed.proxy.reset());

async function done<T>(of: Computer, ...args: string[]): Promise<T> {
  const ended = await of.deck([...args, '--json']);
  if (ended.code !== 0) throw new Error(ended.stdout);
  return ended.json<T>();
}

async function refused(...args: string[]): Promise<Failed['error'] & { exit: number | null }> {
  const ended = await computer.deck([...args, '--json']);
  return { ...ended.json<Failed>().error, exit: ended.code };
}

const list = async (folder: string, ...more: string[]) =>
  (await done<{ links: Link[] }>(computer, 'links', folder, ...more)).links;
const add = async (folder: string, name: string, ...more: string[]) =>
  (await done<{ link: Link }>(computer, 'links', 'add', name, '--deck', folder, ...more)).link;

/** A pushed folder. */
async function aDeck(files: Record<string, string> = { 'index.html': '<title>Talk</title>one' }) {
  const folder = await testbed.aFolder(files);
  const pushed = await done<{ presentationId: string; shareUrl: string }>(computer, 'push', folder, '--no-thumbnail');
  return { folder, ...pushed };
}

async function pushNext(folder: string): Promise<Warned & { version: number }> {
  await writeFile(join(folder, 'index.html'), `<title>Talk</title>${Math.random()}`);
  return done(computer, 'push', folder, '--no-thumbnail');
}

/** Opens the deck through a link, as a viewer does. The status of the entry. */
async function visit(shareUrl: string): Promise<number> {
  const url = new URL(shareUrl);
  const id = url.pathname.split('/').at(-1);
  const response = await fetch(`${testbed.baseUrl}/getSharedPresentation/${id}/_f/${url.searchParams.get('token')}/`);
  await response.arrayBuffer();
  return response.status;
}

const codesOf = ({ warnings = [] }: Warned) => warnings.map(({ code }) => code);

describe('the links of a deck', () => {
  test('are listed with their version, views and state, and revoked ones only with --all', async () => {
    const { folder, shareUrl } = await aDeck();
    const board = await add(folder, 'board', '--pin', '1');
    await pushNext(folder);
    for (const url of [shareUrl, shareUrl, board.shareUrl]) expect(await visit(url)).toBe(200);
    expect(await list(folder)).toMatchObject([
      { name: 'default', pinnedVersion: null, views: 2, state: 'active', shareUrl },
      {
        name: 'board',
        pinnedVersion: 1,
        views: 1,
        state: 'active',
        lastOpenedAt: expect.stringMatching(/Z$/) as string,
      },
    ]);
    const follows = await done<{ link: object }>(computer, 'links', 'follow', 'board', '--deck', folder);
    expect(follows.link).toMatchObject({ name: 'board', pinnedVersion: null, servedVersion: 2 });
    const pins = await done<{ link: object }>(computer, 'links', 'pin', board.id, '1', '--deck', folder);
    expect(pins.link).toMatchObject({ name: 'board', pinnedVersion: 1, servedVersion: 1 });
    const renamed = await done<{ link: Link }>(computer, 'links', 'rename', board.id, 'crew', '--deck', folder);
    expect(renamed.link).toMatchObject({ id: board.id, name: 'crew', shareUrl: board.shareUrl });
    await done(computer, 'links', 'rename', 'crew', 'board', '--deck', folder);
    expect(await refused('links', 'rename', 'board', ' ', '--deck', folder)).toMatchObject({ code: 'wrong-name' });
    for (const alreadyRevoked of [false, true])
      expect(await done(computer, 'links', 'revoke', 'board', '--deck', folder)).toMatchObject({
        revoked: [{ name: 'board', alreadyRevoked }],
      });
    expect(await visit(board.shareUrl)).toBe(403);
    expect((await list(folder)).map(({ name }) => name)).toEqual(['default']);
    expect((await list(folder, '--all')).map(({ state }) => state)).toEqual(['active', 'revoked']);
    const text = await computer.deck(['links', folder]);
    expect(text.stdout).toContain(`  ${shareUrl}\n1 revoked link not shown`);
  });

  test('are found by the id of the deck and from its folder, and name what does not exist', async () => {
    const { folder, presentationId } = await aDeck();
    expect(await list(presentationId)).toEqual(await list(folder));
    expect(await refused('links', 'pin', 'default', '9', '--deck', folder)).toMatchObject({ code: 'no-such-version' });
    expect(await refused('links', 'pin', 'default', 'x', '--deck', folder)).toMatchObject({ code: 'usage', exit: 2 });
    expect(await refused('links', 'pin', 'none', '1', '--deck', folder)).toMatchObject({
      code: 'no-such-link',
      exit: 1,
    });
    expect(await refused('links', 'revoke', '--deck', folder)).toMatchObject({ code: 'usage', exit: 2 });
    expect(await refused('links', folder, '--deck', folder)).toMatchObject({ code: 'usage', exit: 2 });
    expect(await refused('links', '01890000-0000-7000-8000-000000000000')).toMatchObject({ code: 'not-found' });
    expect(await refused('links', 'add', 'x'.repeat(256), '--deck', folder)).toMatchObject({ code: 'wrong-name' });
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
    await done(computer, 'links', 'revoke', 'evil', '--deck', folder);
    await done(computer, 'links', 'revoke', 'y'.repeat(255), '--deck', folder);
    expect(await list(folder)).toHaveLength(names.length - 1);
  });

  test('with one name are told apart by their ids', async () => {
    const { folder } = await aDeck();
    const [one, two] = [await add(folder, 'twin'), await add(folder, 'twin')];
    const error = await refused('links', 'revoke', 'twin', '--deck', folder);
    expect(error).toMatchObject({ code: 'ambiguous-link', exit: 1 });
    for (const { id } of [one, two]) expect(error.message).toContain(id);
    await done(computer, 'links', 'revoke', one.id, '--deck', folder);
    // One active link has the name now.
    expect(await done(computer, 'links', 'pin', 'twin', '1', '--deck', folder)).toMatchObject({ link: { id: two.id } });
    expect(await refused('links', 'follow', one.id, '--deck', folder)).toMatchObject({ code: 'revoked-link' });
  });

  test('are all revoked with --yes only, or after a question in a terminal', async () => {
    const { folder, shareUrl } = await aDeck();
    const all = ['links', 'revoke', '--all', '--deck', folder];
    expect(await refused(...all)).toMatchObject({ code: 'usage', exit: 2 });
    const no = computer.inTerminal(all);
    await no.shows('Revoke 1 link of "Talk"?');
    no.type('n\r');
    expect(await no.exitCode()).toBe(1);
    expect(await visit(shareUrl)).toBe(200);
    const yes = computer.inTerminal(all);
    await yes.shows('[y/N]');
    yes.type('y\r');
    await yes.shows('Revoked 1 link');
    expect(await visit(shareUrl)).toBe(403);
    expect(await done(computer, ...all, '--yes')).toMatchObject({ revoked: [] });
  });

  test('are made once when the answer is lost', async () => {
    const { folder } = await aDeck();
    testbed.proxy.watch = ({ name, number }) =>
      name === 'addPresentationToken' && number === 1 ? 'lose the answer' : 'forward';
    const made = await add(folder, 'once');
    expect(await list(folder)).toMatchObject([{ name: 'default' }, { id: made.id, shareUrl: made.shareUrl }]);
  });

  test('that are revoked by somebody else meanwhile are not pinned', async () => {
    const { folder } = await aDeck();
    testbed.proxy.watch = async ({ name }): Promise<Fate> => {
      if (name === 'setTokenVersionMode') {
        testbed.proxy.reset();
        await done(computer, 'links', 'revoke', 'default', '--deck', folder);
      }
      return 'forward';
    };
    expect(await refused('links', 'pin', 'default', '1', '--deck', folder)).toMatchObject({ code: 'revoked-link' });
  });
});

describe('the mails of a deck', () => {
  test('tell the result for each recipient, and are listed page by page with what became of them', async () => {
    const { folder } = await aDeck();
    const [grace, alan] = [testbed.anEmail(), testbed.anEmail()];
    const mailed = await computer.deck(['email', grace, alan, 'nobody', '--message', 'Hello', '--deck', folder]);
    expect([mailed.code, mailed.stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`✓ ${grace} +sent\n✓ ${alan} +sent\n✗ nobody +That is not an email`)),
    ]);
    const inbox = await (await fetch(`${testbed.mailUrl}/messages?to=${encodeURIComponent(grace)}`)).json();
    expect((inbox as { messages: { text: string }[] }).messages[0]?.text).toContain('Hello');
    const own = (await list(folder)).find(({ name }) => name === grace);
    expect(await visit(own!.shareUrl)).toBe(200);
    await done(computer, 'links', 'revoke', alan, '--deck', folder);
    interface Log {
      mails: { email: string; code: string | null; link?: { views: number; state: string } }[];
      nextCursor: string | null;
    }
    const mails: Log['mails'] = [];
    for (let cursor: string[] = []; ;) {
      const args = ['email', '--log', '--limit', '2', ...cursor, '--deck', folder];
      const page = await done<Log>(computer, ...args);
      mails.push(...page.mails);
      if (page.nextCursor === null) break;
      cursor = ['--cursor', page.nextCursor];
    }
    expect(mails).toHaveLength(3);
    expect(mails.find(({ email }) => email === grace)?.link).toMatchObject({ views: 1, state: 'active' });
    expect(mails.find(({ email }) => email === alan)?.link).toMatchObject({ views: 0, state: 'revoked' });
    expect(mails.find(({ email }) => email === 'nobody')).toMatchObject({ code: 'invalid-email' });
    const { stdout } = await computer.deck(['email', '--log', '--deck', folder]);
    expect(stdout).toMatch(new RegExp(`${grace} +sent, opened 1 time\n`));
    expect(stdout).toMatch(new RegExp(`${alan} +sent, not opened, link revoked\n`));
  });

  test('refuse a wrong address before they are sent, and carry one link for all with --link', async () => {
    const { folder } = await aDeck();
    expect(await refused('email', 'nobody', '--deck', folder)).toMatchObject({ code: 'wrong-address', exit: 2 });
    expect(await refused('email', '--deck', folder)).toMatchObject({ code: 'usage', exit: 2 });
    expect(await refused('email', testbed.anEmail(), '--link', 'none', '--deck', folder)).toMatchObject({
      code: 'no-such-link',
    });
    const board = await add(folder, 'board');
    const to = testbed.anEmail();
    expect(await done(computer, 'email', to, '--link', 'board', '--deck', folder)).toMatchObject({
      sent: [{ email: to, shareUrl: board.shareUrl }],
    });
    await done(computer, 'expire', '7d', '--deck', folder);
    await testbed.later(8 * 86_400);
    const late = await refused('email', to, '--deck', folder);
    expect(late.nextAction).toContain('deck expire');
  });
});

describe('the expiry of a deck', () => {
  test('is a duration, a date or a time, and is told in local time and in UTC', async () => {
    const { folder } = await aDeck();
    const expire = (when: string, env = {}) => computer.deck(['expire', when, '--deck', folder], env);
    const TZ = 'Pacific/Auckland';
    expect((await expire('2031-01-31', { TZ })).stdout).toBe(
      '✓ The links stop opening at 2031-02-01 00:00 (UTC+13:00), that is 2031-01-31T11:00:00.000Z\n',
    );
    expect((await expire('2031-01-31T18:00', { TZ })).stdout).toContain('2031-01-31T05:00:00.000Z');
    expect((await expire('2031-01-31T18:00:00Z', { TZ })).stdout).toContain('2031-01-31T18:00:00.000Z');
    expect((await expire('never')).stdout).toBe('✓ The links do not expire.\n');
    for (const when of ['2031-02-30', '2020-01-01', '0d', '-1d', 'tomorrow', '2031-13-01', '99999-01-01', ''])
      expect([when, (await refused('expire', '--deck', folder, '--', when)).exit]).toEqual([when, 2]);
  });
});

describe('the collaborators of a deck', () => {
  test('are invited, listed with their state, and removed', async () => {
    const { folder } = await aDeck();
    const [pending, active] = [testbed.anEmail(), testbed.anEmail()];
    const dev = await testbed.aSignedInComputer(active);
    for (const email of [pending, active])
      await done(computer, 'collaborators', 'invite', email, '--deck', folder, '--message', 'Hi');
    const list = async (...more: string[]) => (await computer.deck(['collaborators', folder, ...more])).stdout;
    expect(await list()).toMatch(new RegExp(`${pending} .*no account yet\n.*${active} .*active since`));
    expect(await done(dev, 'list', '--search', 'talk')).toMatchObject({ decks: [{ role: 'dev' }] });
    await done(computer, 'collaborators', 'remove', active, '--deck', folder);
    expect(await list()).not.toContain(active);
    expect(await list('--all')).toMatch(new RegExp(`${active} .*removed`));
    for (const [email, code] of [
      ['nobody', 'wrong-address'],
      ['nobody@example.com', 'not-found'],
    ] as const)
      expect(await refused('collaborators', 'remove', email, '--deck', folder)).toMatchObject({ code });
  });
});

describe('deck info', () => {
  test('shows what the service knows about a deck', async () => {
    const { folder, presentationId, shareUrl } = await aDeck();
    await visit(shareUrl);
    await add(folder, 'board');
    await done(computer, 'expire', '2031-01-31T18:00:00Z', '--deck', folder);
    expect(await done(computer, 'info', folder)).toMatchObject({
      id: presentationId,
      title: 'Talk',
      role: 'owner',
      version: 1,
      totalViews: 1,
      shareUrl,
      versions: { count: 1, fileCount: 1 },
      expiresAt: '2031-01-31T18:00:00.000Z',
      listing: null,
      links: [{ name: 'default' }, { name: 'board' }],
    });
    const { stdout } = await computer.deck(['info', presentationId], { TZ: 'UTC' });
    expect(stdout).toMatch(/views +1 view, last .*\n +expires +2031-01-31 18:00\n +links +2 active, 0 revoked\n/);
  });
});

describe('a push and deck open', () => {
  const open = (folder: string) => computer.deck(['open', folder, '--print', '--json']);
  const again = (folder: string) => done<Warned>(computer, 'push', folder, '--no-thumbnail');

  test('hand out another link when the one from before is revoked, and say so', async () => {
    const { folder } = await aDeck();
    const next = await add(folder, 'next');
    const headers = { authorization: `Bearer ${await computer.key()}`, 'content-type': 'application/json' };
    const [first] = await list(folder);
    const { presentationId } = JSON.parse(await readFile(join(folder, '.deck.json'), 'utf8')) as Record<string, string>;
    // Somebody else revokes it, such as the dashboard.
    const body = JSON.stringify({ presentationId, tokenId: first!.id });
    await fetch(`${testbed.baseUrl}/unsharePresentation`, { method: 'POST', headers, body });
    const opened = (await open(folder)).json<Warned>();
    expect([opened.shareUrl, codesOf(opened)]).toEqual([next.shareUrl, ['link-replaced']]);
    expect(opened.warnings?.[0]?.message).toContain('"default" from before is revoked. This is the link "next"');
    const pushed = await again(folder);
    expect([pushed.shareUrl, codesOf(pushed)]).toEqual([next.shareUrl, []]);
  });

  test('name a link that stays on an old version', async () => {
    const { folder, shareUrl } = await aDeck();
    await done(computer, 'links', 'pin', 'default', '1', '--deck', folder);
    const pushed = await pushNext(folder);
    expect([pushed.shareUrl, codesOf(pushed)]).toEqual([shareUrl, ['link-pinned']]);
    const follower = await add(folder, 'follower');
    expect((await pushNext(folder)).shareUrl).toBe(follower.shareUrl);
  });

  test('hand out no link that was mailed to a recipient', async () => {
    const { folder, presentationId } = await aDeck();
    const email = testbed.anEmail();
    const dev = await testbed.aSignedInComputer(email);
    await done(computer, 'collaborators', 'invite', email, '--deck', folder);
    const recipient = testbed.anEmail();
    await done(computer, 'email', recipient, '--deck', folder);
    await done(computer, 'links', 'rename', recipient, 'Grace', '--deck', folder);
    await done(computer, 'links', 'revoke', 'default', '--deck', folder);
    const pushed = await pushNext(folder);
    expect([pushed.shareUrl, codesOf(pushed)]).toEqual([undefined, ['no-link']]);
    const row = expect.objectContaining({ id: presentationId, shareUrl: null, shareUrlIsPersonal: true });
    expect(await done(computer, 'list')).toMatchObject({ decks: expect.arrayContaining([row]) });
    expect(await done(computer, 'restore', '1', '--deck', folder)).toMatchObject({ shareUrl: null });
    expect((await done<{ decks: { shareUrl: string | null }[] }>(dev, 'list')).decks).toEqual([row]);
    expect((await dev.deck(['open', presentationId, '--print', '--json'])).json()).toMatchObject({
      error: { code: 'no-link' },
    });
    const other = await testbed.aFolder({ 'index.html': '<title>Talk</title>by Dev' });
    const byDev = await done<Warned>(dev, 'push', other, '--deck', presentationId, '--force', '--no-thumbnail');
    expect([byDev.shareUrl, codesOf(byDev)]).toEqual([undefined, ['no-link']]);
    // The list has the newer link that is for everybody.
    const { link } = await done<{ link: { shareUrl: string } }>(computer, 'links', 'add', 'Board', '--deck', folder);
    const owned = expect.objectContaining({ id: presentationId, shareUrl: link.shareUrl });
    const { decks } = await done<{ decks: object[] }>(computer, 'list');
    expect(decks).toEqual(expect.arrayContaining([owned]));
    expect(decks).toEqual(expect.not.arrayContaining([row]));
  });

  test('without an active link say how to make one', async () => {
    const { folder } = await aDeck();
    await done(computer, 'links', 'revoke', '--all', '--yes', '--deck', folder);
    for (const pushed of [await again(folder), await pushNext(folder)]) {
      expect([pushed.shareUrl, codesOf(pushed)]).toEqual([undefined, ['no-link']]);
      expect(pushed.warnings?.[0]?.message).toContain(`deck links add <name> --deck ${folder}`);
    }
    expect(await refused('open', folder, '--print')).toMatchObject({ code: 'no-link', exit: 1 });
  });

  test('of a deck that expired or was taken down say what to do', async () => {
    const { folder, presentationId, shareUrl } = await aDeck();
    await testbed.withDatabase(async (database) => {
      const deck = database.doc(`presentations/${presentationId}`);
      const closures: [string, object][] = [
        ['expired', { expiresAt: new Date(Date.now() - 1000) }],
        ['taken-down', { takedown: { at: new Date(), reason: 'A \u001b[31mcopy' } }],
      ];
      for (const [code, change] of closures) {
        await deck.update(change);
        const pushed = await pushNext(folder);
        expect([pushed.shareUrl, codesOf(pushed)]).toEqual([undefined, [code]]);
        expect(await refused('open', folder, '--print')).toMatchObject({ code, exit: 1 });
        expect(await done(computer, 'info', folder)).toMatchObject({ closed: code, shareUrl: null });
      }
      expect((await refused('open', folder, '--print')).message).toContain('A  [31mcopy');
      await deck.update({ takedown: null });
    });
    await done(computer, 'expire', 'never', '--deck', folder);
    expect((await again(folder)).shareUrl).toBe(shareUrl);
  });

  test('of a deleted deck are refused, and the link is forgotten', async () => {
    const { folder, presentationId } = await aDeck();
    const headers = { authorization: `Bearer ${await computer.key()}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ presentationId });
    expect((await fetch(`${testbed.baseUrl}/deletePresentation`, { method: 'POST', headers, body })).status).toBe(200);
    expect(await refused('open', folder, '--print')).toMatchObject({ code: 'not-found', exit: 1 });
    const links = await readFile(join(computer.configFolder, 'deck', 'links.json'), 'utf8');
    expect(links).not.toContain(presentationId);
  });

  test('use the remembered link only without an answer of the service, and say so', async () => {
    const { folder, shareUrl } = await aDeck();
    await testbed.proxy.close();
    const offline = await open(folder);
    await testbed.proxy.open();
    expect([offline.code, offline.json<Warned>().shareUrl]).toEqual([0, shareUrl]);
    expect(codesOf(offline.json<Warned>())).toEqual(['link-not-checked']);
    testbed.proxy.watch = ({ name }, response) => {
      if (name !== 'getSharedPresentationInfo') return 'forward';
      response.writeHead(400).end('{"success":false,"error":{"code":"invalid-argument","message":"No."}}');
      return 'answered';
    };
    expect((await open(folder)).code).toBe(1);
    // A push that the service accepted is not refused for it.
    const pushed = await pushNext(folder);
    expect([pushed.shareUrl, codesOf(pushed)]).toEqual([shareUrl, ['link-not-checked']]);
  });

  test('cost one call more, which no upload waits for', async () => {
    const { folder } = await aDeck();
    testbed.proxy.reset();
    const order: string[] = [];
    testbed.proxy.watch = ({ name }) => {
      order.push(name);
      return 'forward';
    };
    await pushNext(folder);
    expect(order.filter((name) => /^(getSharedPresentationInfo|listMyPresentations)$/.test(name))).toEqual([
      'getSharedPresentationInfo',
    ]);
    expect(order.indexOf('getSharedPresentationInfo')).toBeLessThan(order.lastIndexOf('commitPresentationVersion'));
  });

  test('of a collaborator hand out the first link that opens', async () => {
    const { folder, presentationId, shareUrl } = await aDeck();
    const email = testbed.anEmail();
    const dev = await testbed.aSignedInComputer(email);
    await done(computer, 'collaborators', 'invite', email, '--deck', folder);
    const state = async () => {
      const opened = await dev.deck(['open', presentationId, '--print', '--json']);
      return opened.code === 0 ? opened.json<Warned>() : opened.json<Failed>().error;
    };
    expect(await state()).toMatchObject({ shareUrl });
    const second = await add(folder, 'second');
    await done(computer, 'links', 'revoke', 'default', '--deck', folder);
    const replaced = (await state()) as Warned;
    expect([replaced.shareUrl, codesOf(replaced)]).toEqual([second.shareUrl, ['link-replaced']]);
    await done(computer, 'links', 'revoke', 'second', '--deck', folder);
    expect(await state()).toMatchObject({ code: 'no-link' });
    const refusal = await dev.deck(['links', presentationId, '--json']);
    expect([refusal.code, refusal.json<Failed>().error.message]).toEqual([
      3,
      'Only the owner of the deck may do that.',
    ]);
    await done(computer, 'collaborators', 'remove', email, '--deck', folder);
    expect(await state()).toMatchObject({ code: 'not-found' });
  });
});

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('deck open', () => {
  /** An opener that does what the line of a shell says. */
  async function opened(line: string, env: NodeJS.ProcessEnv): Promise<{ opened: boolean; why: string | undefined }> {
    const { folder } = await aDeck();
    const openers = await testbed.aFolder({ 'xdg-open': `#!/bin/sh\n${line}\n` });
    await chmod(join(openers, 'xdg-open'), 0o755);
    const ended: Ended = await computer.deck(['open', folder, '--json'], {
      PATH: `${openers}:${process.env['PATH']}`,
      ...env,
    });
    expect(ended.code).toBe(0);
    const { opened: isOpened, warnings } = ended.json<Warned & { opened: boolean }>();
    return { opened: isOpened, why: warnings?.[0]?.message };
  }

  test.each([
    ['an opener that ends', 'exit 0', { DISPLAY: ':0' }, true, undefined],
    ['an opener that stays with the browser', 'exec sleep 5', { DISPLAY: ':0' }, true, undefined],
    ['an opener that fails', 'exit 3', { DISPLAY: ':0' }, false, 'exit code 3'],
    ['no display', 'exit 0', {}, false, 'there is no display'],
    ['a browser that the user names', 'exit 0', { BROWSER: 'x' }, true, undefined],
  ])('is honest about %s', async (_case, line, env, isOpened, why) => {
    const outcome = await opened(line, env);
    expect(outcome.opened).toBe(isOpened);
    if (why === undefined) expect(outcome.why).toBeUndefined();
    else expect(outcome.why).toContain(why);
  });
});
