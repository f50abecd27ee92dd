import { execFileSync } from 'node:child_process';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withTestbed, type Computer, type Testbed } from './testbed';

interface HandedOut {
  shareUrl?: string;
  warnings?: { code?: string; message: string }[];
}

let testbed: Testbed;
let computer: Computer;
withTestbed((made) => ({ testbed, computer } = made));

const done = <T = HandedOut>(...args: string[]) => computer.done<T>(...args);
const refused = (...args: string[]) => computer.refused(...args);
const add = async (folder: string, name: string) =>
  (await done<{ link: { shareUrl: string } }>('links', 'add', name, '--deck', folder)).link.shareUrl;
const again = (folder: string) => done('push', folder, '--no-thumbnail');
const open = (folder: string, by = computer) => by.done<HandedOut>('open', folder, '--print');
/** The link that was handed out, and the codes of the warnings. */
const brief = ({ shareUrl, warnings = [] }: HandedOut) => [shareUrl, ...warnings.map(({ code }) => code)];

/** A pushed folder. */
async function aDeck() {
  const folder = await testbed.aFolder({ 'index.html': '<title>Talk</title>one' });
  const pushed = await done<{ presentationId: string; shareUrl: string }>('push', folder, '--no-thumbnail');
  return { folder, ...pushed };
}

async function pushNext(folder: string): Promise<HandedOut> {
  await writeFile(join(folder, 'index.html'), `<title>Talk</title>${Math.random()}`);
  return again(folder);
}

/** Somebody else who may edit the deck. */
async function aDev(folder: string): Promise<{ dev: Computer; email: string }> {
  const email = testbed.anEmail();
  const dev = await testbed.aSignedInComputer(email);
  await done('collaborators', 'invite', email, '--deck', folder);
  return { dev, email };
}

describe('a push and deck open', () => {
  test('hand out another link when the one from before is revoked, and say so', async () => {
    const { folder, presentationId } = await aDeck();
    const next = await add(folder, 'next');
    const { links } = await done<{ links: { id: string }[] }>('links', folder);
    await testbed.post(computer, 'unsharePresentation', { presentationId, tokenId: links[0]!.id });
    const opened = await open(folder);
    expect(brief(opened)).toEqual([next, 'link-replaced']);
    expect(opened.warnings?.[0]?.message).toContain('"default" from before is revoked. This is the link "next"');
    expect(brief(await again(folder))).toEqual([next]);
  });

  test('name a link that stays on an old version', async () => {
    const { folder, shareUrl } = await aDeck();
    await done('links', 'pin', 'default', '1', '--deck', folder);
    expect(brief(await pushNext(folder))).toEqual([shareUrl, 'link-pinned']);
    const follower = await add(folder, 'follower');
    expect((await pushNext(folder)).shareUrl).toBe(follower);
  });

  test('hand out no link that was mailed to a recipient', async () => {
    const { folder, presentationId: id } = await aDeck();
    const { dev } = await aDev(folder);
    const recipient = testbed.anEmail();
    await done('email', recipient, '--deck', folder);
    await done('links', 'rename', recipient, 'Grace', '--deck', folder);
    await done('links', 'revoke', 'default', '--deck', folder);
    expect(brief(await pushNext(folder))).toEqual([undefined, 'no-link']);
    const row = expect.objectContaining({ id, shareUrl: null, shareUrlIsPersonal: true }) as object;
    expect(await done('restore', '1', '--deck', folder)).toMatchObject({ shareUrl: null });
    expect(await dev.done('list')).toMatchObject({ decks: [row] });
    expect(await dev.refused('open', id, '--print')).toMatchObject({ code: 'no-link' });
    const other = await testbed.aFolder({ 'index.html': '<title>Talk</title>by Dev' });
    const byDev = await dev.done<HandedOut>('push', other, '--deck', id, '--force', '--no-thumbnail');
    expect(brief(byDev)).toEqual([undefined, 'no-link']);
    // The list has the newer link that is for everybody.
    const shareUrl = await add(folder, 'Board');
    const { decks } = await done<{ decks: { id: string }[] }>('list');
    expect(decks.find((deck) => deck.id === id)).toMatchObject({ shareUrl });
  });

  test('without an active link say how to make one', async () => {
    const { folder } = await aDeck();
    await done('links', 'revoke', '--all', '--yes', '--deck', folder);
    for (const pushed of [await again(folder), await pushNext(folder)]) {
      expect(brief(pushed)).toEqual([undefined, 'no-link']);
      expect(pushed.warnings?.[0]?.message).toContain(`deck links add <name> --deck ${folder}`);
    }
    expect(await refused('open', folder, '--print')).toMatchObject({ code: 'no-link', exit: 1 });
  });

  test.each([
    ['expired', { expiresAt: new Date(Date.now() - 1000) }, { expiresAt: null }],
    ['taken-down', { takedown: { at: new Date(), reason: 'A \u001b[31mcopy' } }, { takedown: null }],
  ])('of a deck that is %s say what to do', async (code, closed, opened) => {
    const { folder, presentationId, shareUrl } = await aDeck();
    const update = (change: object) =>
      testbed.withDatabase(async (database) => {
        await database.doc(`presentations/${presentationId}`).update(change);
      });
    await update(closed);
    expect(brief(await pushNext(folder))).toEqual([undefined, code]);
    const refusal = await refused('open', folder, '--print');
    expect(refusal).toMatchObject({ code, exit: 1 });
    expect(refusal.message).toMatch(code === 'expired' ? /expired/ : /A {2}\[31mcopy/);
    expect(await done('info', folder)).toMatchObject({ closed: code, shareUrl: null });
    await update(opened);
    expect((await again(folder)).shareUrl).toBe(shareUrl);
  });

  test('of a deleted deck are refused, and the link is forgotten', async () => {
    const { folder, presentationId } = await aDeck();
    const links = () => readFile(join(computer.configFolder, 'deck', 'links.json'), 'utf8');
    expect(await links()).toContain(presentationId);
    await testbed.post(computer, 'deletePresentation', { presentationId });
    expect(await refused('open', folder, '--print')).toMatchObject({ code: 'not-found', exit: 1 });
    expect(await links()).not.toContain(presentationId);
  });

  test('use the remembered link only without an answer of the service, and say so', async () => {
    const { folder, shareUrl } = await aDeck();
    await testbed.proxy.close();
    const offline = await open(folder);
    await testbed.proxy.open();
    expect(brief(offline)).toEqual([shareUrl, 'link-not-checked']);
    testbed.proxy.watch = ({ name }, response) => {
      if (name !== 'getSharedPresentationInfo') return 'forward';
      response.writeHead(400).end('{"success":false,"error":{"code":"invalid-argument","message":"No."}}');
      return 'answered';
    };
    expect((await refused('open', folder, '--print')).exit).toBe(1);
    // A push that the service accepted is not refused for it.
    expect(brief(await pushNext(folder))).toEqual([shareUrl, 'link-not-checked']);
  });

  test('cost one call more, which no upload waits for', async () => {
    const { folder } = await aDeck();
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
    const { dev, email } = await aDev(folder);
    expect(await open(presentationId, dev)).toMatchObject({ shareUrl });
    const second = await add(folder, 'second');
    await done('links', 'revoke', 'default', '--deck', folder);
    expect(brief(await open(presentationId, dev))).toEqual([second, 'link-replaced']);
    await done('links', 'revoke', 'second', '--deck', folder);
    const refusedOpen = () => dev.refused('open', presentationId, '--print');
    expect(await refusedOpen()).toMatchObject({ code: 'no-link' });
    const message = 'Only the owner of the deck may do that.';
    expect(await dev.refused('links', presentationId)).toMatchObject({ exit: 3, message });
    await done('collaborators', 'remove', email, '--deck', folder);
    expect(await refusedOpen()).toMatchObject({ code: 'not-found' });
  });

  test('on another computer of the user ask the service for the link; a folder that was not pushed has none', async () => {
    const { folder, shareUrl } = await aDeck();
    await rm(join(computer.configFolder, 'deck', 'links.json'));
    expect((await computer.deck(['open', folder, '--print'])).stdout).toBe(`${shareUrl}\n`);
    const unpushed = await testbed.aFolder({ 'index.html': '' });
    expect(await refused('open', unpushed)).toMatchObject({ code: 'not-pushed', exit: 1 });
  });
});

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('deck open', () => {
  /** A folder with a program of this name for the browser. */
  async function anOpener(line: string): Promise<string> {
    const folder = await testbed.aFolder({ 'xdg-open': `#!/bin/sh\n${line}\n` });
    await chmod(join(folder, 'xdg-open'), 0o755);
    return folder;
  }

  test('opens the share link in the browser, and prints it', async () => {
    const { folder, shareUrl } = await aDeck();
    const opener = await anOpener('echo "$1" > "$0.opened"');
    execFileSync('mkfifo', [join(opener, 'xdg-open.opened')]);
    const [opened, ended] = await Promise.all([
      readFile(join(opener, 'xdg-open.opened'), 'utf8'),
      computer.deck(['open', folder], { PATH: `${opener}:${process.env['PATH']}`, DISPLAY: ':0' }),
    ]);
    expect(ended.stdout).toBe(`${shareUrl}\n✓ Opened in your browser\n`);
    expect(opened).toBe(`${shareUrl}\n`);
  });

  test.each([
    ['an opener that ends', 'exit 0', { DISPLAY: ':0' }, undefined],
    ['an opener that stays with the browser', 'exec sleep 5', { DISPLAY: ':0' }, undefined],
    ['an opener that fails', 'exit 3', { DISPLAY: ':0' }, 'exit code 3'],
    ['no display', 'exit 0', {}, 'there is no display'],
    ['no opener', '', { DISPLAY: ':0', PATH: '/nowhere' }, 'could not be started (ENOENT). Open the link yourself'],
    ['a browser that the user names', 'exit 0', { BROWSER: 'x' }, undefined],
  ])('is honest about %s', async (_case, line, env, why) => {
    const { folder, shareUrl } = await aDeck();
    const PATH = `${await anOpener(line)}:${process.env['PATH']}`;
    const ended = await computer.deck(['open', folder, '--json'], { PATH, ...env });
    expect(ended.json()).toMatchObject({ shareUrl, opened: why === undefined });
    const [warning] = ended.json<HandedOut>().warnings ?? [];
    expect([ended.code, warning?.message]).toEqual([0, why && expect.stringContaining(why)]);
  });
});
