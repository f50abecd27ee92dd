import * as bed from './testbed';
import { aDeck, computer, done, inTerminal, refused, shown, testbed } from './testbed';

/** The rules of links: when they end, what they ask of readers, and how a command says so. */

type Link = Record<'id' | 'shareUrl' | 'shortUrl' | 'expiresAt', string>;

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
      const lines = `slide +active +latest +0 views\n  expires in 30 days\n  ${link.shortUrl}\n`;
      expect(await shown('links', folder)).toMatch(new RegExp(lines));
      expect(await set(folder, 'slide', '--expires', 'never')).toMatchObject({ link: { ...link, expiresAt: null } });
      expect(await set(folder, 'slide', '--no-short')).toMatchObject({ link: { id: link.id, shortUrl: null } });
      await done('links', 'revoke', 'slide', '--deck', folder);
      const again = ['links', 'set', link.id, '--expires', '30d', '--deck', folder];
      expect(await refused(...again)).toMatchObject({ code: 'revoked-link', exit: 1 });
    });

    test('are its openings, the addresses that may open it and an email, shown in few words and taken away', async () => {
      const { folder } = await aDeck();
      const allow = ['--allow', '@Example.com, ada@example.org', '--allow', 'ada@example.org'];
      const link = await bed.addLink(folder, 'press', '--max-openings', '2', '--notify', 'first', ...allow);
      const rules = { hasPasscode: false, maxOpenings: 2, openings: 0, allowedEmailCount: 2, notify: 'first' };
      expect(link).toMatchObject(rules);
      expect(await shown('links', folder, '--allowed')).toMatch(
        /press .*\n {2}2 of 2 openings left · 2 allowed addresses · an email at the first view\n {2}for @example\.com, ada@example\.org\n/,
      );
      expect(await open(link.shareUrl)).toEqual([403, ['email', 'code']]);
      const none = await set(folder, 'press', '--max-openings', 'none', '--allow', 'none', '--notify', 'never');
      expect(none).toMatchObject({ link: { maxOpenings: null, allowedEmailCount: null, notify: 'never' } });
      await set(folder, 'press', '--max-openings', '1');
      expect(await open(link.shareUrl)).toMatchObject([200]);
      expect(await shown('links', folder)).toMatch(/press +used-up .*\n {2}0 of 1 opening left/);
    });

    test('is a passcode, which is read from standard input and shown nowhere', async () => {
      const { folder } = await aDeck();
      const run = (input: string, ...command: string[]) =>
        computer.deck(['links', ...command, '--passcode', '--deck', folder, '--json'], {}, input);
      const added = await run('orchid 47\n', 'add', 'board');
      expect(added).toMatchObject({ code: 0, stdout: expect.not.stringContaining('orchid') as string });
      const { shareUrl } = added.json<{ link: Link }>().link;
      expect(await open(shareUrl, { passcode: 'orchid' })).toEqual([403, ['passcode']]);
      expect(await open(shareUrl, { passcode: 'orchid 47' })).toEqual([200, undefined]);
      expect(await shown('links', folder)).toMatch(/board .*\n {2}passcode\n/);
      expect((await run('rose 47', 'set', 'board')).json()).toMatchObject({ link: { hasPasscode: true } });
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

    test('are those of the new links of a mail, which may open for its recipient alone', async () => {
      const { folder } = await aDeck();
      const to = testbed.anEmail();
      await done('email', to, '--require-email', '--max-openings', '1', '--deck', folder);
      const { links } = await done<{ links: Link[] }>('links', folder);
      const personal = { name: to, allowedEmailCount: 1, maxOpenings: 1, isPersonal: true };
      expect(links).toMatchObject([{ name: 'default' }, personal]);
    });
  });
}
