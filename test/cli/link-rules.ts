import * as bed from './testbed';
import { aDeck, computer, done, inTerminal, refused, shown, testbed } from './testbed';

/** The rules of links: when they end, what they ask of readers, and how a command says so. */

type Link = Record<'id' | 'name' | 'state' | 'shareUrl' | 'shortUrl' | 'expiresAt', string>;

const linkOf = async (folder: string, name: string) =>
  (await done<{ links: Link[] }>('links', folder)).links.find((link) => link.name === name);
const set = (folder: string, link: string, ...options: string[]) =>
  done('links', 'set', link, ...options, '--deck', folder);

/** What the service answers to a reader at the gate of a link. */
async function open(shareUrl: string, given: object = {}): Promise<[number, unknown]> {
  const { pathname, searchParams } = new URL(shareUrl);
  const body = { presentationId: pathname.split('/').at(-1), token: searchParams.get('token'), ...given };
  const headers = { 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${testbed.baseUrl}/openShareLink`, sent);
  const { error } = (await response.json()) as { error?: { details?: { needs?: unknown } } };
  return [response.status, error?.details?.needs];
}

export function proveLinkRules(): void {
  describe('the rules of a link', () => {
    test('are its expiry and its short address, which a table of the links shows first', async () => {
      const { folder } = await aDeck();
      const add = ['links', 'add', 'slide', '--expires', '30d', '--short', '--deck', folder];
      const { link } = await done<{ link: Link }>(...add);
      expect(Math.round((Date.parse(link.expiresAt) - Date.now()) / 86_400_000)).toBe(30);
      const follow = () => fetch(link.shortUrl, { redirect: 'manual' });
      expect((await follow()).headers.get('location')).toBe(link.shareUrl);
      const lines = `slide +active +latest +0 views\n  expires in 30 days\n  ${link.shortUrl}\n`;
      expect(await shown('links', folder)).toMatch(new RegExp(lines));
      expect(await set(folder, 'slide', '--expires', 'never')).toMatchObject({ link: { ...link, expiresAt: null } });
      expect(await set(folder, 'slide', '--no-short')).toMatchObject({ link: { id: link.id, shortUrl: null } });
      expect((await follow()).status).toBe(404);
      await done('links', 'revoke', 'slide', '--deck', folder);
      const again = ['links', 'set', link.id, '--expires', '30d', '--deck', folder];
      expect(await refused(...again)).toMatchObject({ code: 'revoked-link', exit: 1 });
    });

    test('are its openings, the addresses that may open it and an email, shown in few words and taken away', async () => {
      const { folder } = await aDeck();
      const allow = ['--allow', '@Example.com, ada@example.org', '--allow', 'ada@example.org'];
      const link = await bed.addLink(folder, 'press', '--max-openings', '2', '--notify', 'first', ...allow);
      const rules = { hasPasscode: false, maxOpenings: 2, openings: 0, allowedEmailCount: 2, notify: 'first' };
      expect([link, await linkOf(folder, 'press')]).toMatchObject([rules, rules]);
      expect(await shown('links', folder, '--allowed')).toMatch(
        /press .*\n {2}2 of 2 openings left · 2 allowed addresses · an email at the first view\n {2}for @example\.com, ada@example\.org\n/,
      );
      expect(await open(link.shareUrl)).toEqual([403, ['email', 'code']]);
      const none = await set(folder, 'press', '--max-openings', 'none', '--allow', 'none', '--notify', 'never');
      expect(none).toMatchObject({ link: { maxOpenings: null, allowedEmailCount: null, notify: 'never' } });
      await set(folder, 'press', '--max-openings', '1');
      expect([await open(link.shareUrl), await open(link.shareUrl)]).toMatchObject([[200], [410]]);
      expect(await linkOf(folder, 'press')).toMatchObject({ state: 'used-up', openings: 1 });
      expect(await shown('links', folder)).toMatch(/press +used-up .*\n {2}0 of 1 opening left/);
    });

    test('is a passcode, which is read from standard input and shown nowhere', async () => {
      const { folder } = await aDeck();
      const run = (input: string, ...command: string[]) =>
        computer.deck(['links', ...command, '--passcode', '--deck', folder, '--json'], {}, input);
      const added = await run('orchid 47\n', 'add', 'board');
      expect(added).toMatchObject({ code: 0, stdout: expect.not.stringContaining('orchid') as string });
      const { shareUrl } = added.json<{ link: Link }>().link;
      expect(await open(shareUrl)).toEqual([403, ['passcode']]);
      expect([await open(shareUrl, { passcode: 'orchid' }), await open(shareUrl, { passcode: 'orchid 47' })]).toEqual([
        [403, ['passcode']],
        [200, undefined],
      ]);
      expect(await shown('links', folder)).toMatch(/board .*\n {2}passcode\n/);
      expect((await run('rose 47', 'set', 'board')).json()).toMatchObject({ link: { hasPasscode: true } });
      expect((await open(shareUrl, { passcode: 'rose 47' }))[0]).toBe(200);
      for (const [input, code, exitCode] of [
        ['rose', 'wrong-passcode', 1],
        ['', 'usage', 2],
        ['orchid\nrose\n', 'usage', 2],
      ] as const)
        expect((await run(input, 'set', 'board')).json()).toMatchObject({ error: { code }, exitCode });
      expect(await set(folder, 'board', '--no-passcode')).toMatchObject({ link: { hasPasscode: false } });
    });

    inTerminal('is a passcode, which a terminal asks for without showing it', async () => {
      const { folder, shareUrl } = await aDeck();
      const screen = computer.inTerminal(['links', 'set', 'default', '--passcode', '--deck', folder]);
      await screen.answer('Passcode:', 'orchid-47');
      expect(await screen.exitCode()).toBe(0);
      expect(await screen.next(100)).toMatch(/^(?![^]*orchid)[^]*Changed the link/);
      expect(await open(shareUrl, { passcode: 'orchid-47' })).toEqual([200, undefined]);
    });

    test('that do not exist or do not fit are refused', async () => {
      const { folder } = await aDeck();
      for (const [code, exit, ...options] of [
        ['usage', 2, 'links', 'set', 'default', '--max-openings', '0'],
        ['usage', 2, 'links', 'set', 'default', '--notify', 'often'],
        ['wrong-number', 1, 'links', 'set', 'default', '--max-openings', '1000001'],
        ['wrong-address', 2, 'links', 'set', 'default', '--allow', 'example.com'],
        ['wrong-address', 2, 'links', 'add', 'press', '--allow', 'none,ada@example.com'],
        ['usage', 2, 'email', 'ada@example.com', '--require-email', '--allow', '@example.com'],
        ['usage', 2, 'email', 'ada@example.com', '--link', 'default', '--expires', '7d'],
      ] as [string, number, ...string[]][])
        expect([options, await refused(...options, '--deck', folder)]).toMatchObject([options, { code, exit }]);
    });

    test('are those of the new links of a mail, which may open for its recipient alone', async () => {
      const { folder } = await aDeck();
      const to = testbed.anEmail();
      await done('email', to, '--require-email', '--max-openings', '1', '--deck', folder);
      const link = await linkOf(folder, to);
      expect(link).toMatchObject({ allowedEmailCount: 1, maxOpenings: 1, isPersonal: true });
      expect(await open(link!.shareUrl)).toEqual([403, ['email', 'code']]);
    });
  });
}
