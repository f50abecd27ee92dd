import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inTerminal, Testbed, testbed, withTestbed, type Computer } from './testbed';

/** An account moves from one service to another. */

withTestbed();
let other: Testbed;
beforeAll(async () => {
  other = await Testbed.create();
});
afterAll(() => other.close());

interface Version {
  version: number;
  title: string;
  message: string | null;
}
interface Link {
  name: string;
  versionMode: object;
  hasPasscode: boolean;
  allowedEmailCount: number | null;
  revoked: boolean;
  shareUrl: string;
}

/** What a service has of the decks of an account, without what it gave them itself. */
async function decksOf(of: Computer) {
  const { decks } = await of.done<{ decks: { id: string; title: string }[] }>('list');
  const found = decks.map(async ({ id, title }) => {
    const { versions } = await of.done<{ versions: Version[] }>('versions', id);
    const { links } = await of.done<{ links: Link[] }>('links', '--deck', id);
    const folder = await testbed.aFolder({});
    await of.done('pull', id, join(folder, 'deck'));
    const pulled = await Promise.all(
      ['index.html', 'a/b.css'].map((path) => readFile(join(folder, 'deck', path), 'utf8').catch(() => null)),
    );
    return {
      title,
      pulled,
      versions: versions.map(({ version, title: named, message }) => ({ version, named, message })),
      links: links
        .filter(({ revoked }) => !revoked)
        .map(({ name, versionMode, hasPasscode, allowedEmailCount }) => ({
          name,
          versionMode,
          hasPasscode,
          allowedEmailCount,
        })),
    };
  });
  return (await Promise.all(found)).sort((a, b) => (a.title < b.title ? -1 : 1));
}

inTerminal(
  'an export is downloaded, and imported at another service by an import that is killed twice: the same decks, versions and links',
  async () => {
    const email = testbed.anEmail();
    const owner = await testbed.aSignedInComputer(email);
    const folder = await testbed.aFolder({ 'index.html': '<title>Talk</title>one', 'a/b.css': 'a {}' });
    await owner.done('push', folder, '--message', 'first');
    await writeFile(join(folder, 'index.html'), '<title>Talk</title>two');
    await owner.done('push', folder, '--title', 'Another talk');
    const link = ['links', 'add', 'Investors', '--deck', folder, '--pin', '1', '--passcode'];
    expect((await owner.deck(link, {}, 'analytical-7')).code).toBe(0);
    await owner.done('push', await testbed.aFolder({ 'index.html': '<title>Second</title>' }));
    await testbed.later(61);
    const out = join(testbed.folder, 'exported');
    const screen = owner.inTerminal(['account', 'export', '--out', out]);
    await screen.shows('Code from the mail');
    screen.type(`${await testbed.newestCode(email)}\r`);
    await screen.shows('Another code was sent');
    await screen.shows('Code from the mail');
    screen.type(`${await testbed.newestCode(email)}\r`);
    await screen.shows('The service has exported 0 of 2 decks');
    expect((await fetch(`${testbed.baseUrl}/exportAccounts`, { method: 'POST' })).ok).toBe(true);
    await screen.shows('Exported the account to');
    expect(await screen.exitCode()).toBe(0);
    expect(await readdir(out)).toEqual(expect.arrayContaining(['account.json', 'decks', 'index.html', 'schema.json']));
    const there = await other.aSignedInComputer();
    // Killed when the service has made the first version of a deck, and then the second one. The first call of a push
    // only compares.
    for (const version of [1, 2]) {
      const lost = { name: 'commitPresentationVersion', number: 2, fate: 'lose the answer' } as const;
      expect((await there.stoppedAt(lost, ['account', 'import', out], 'SIGKILL')).code).toBeNull();
      expect(await there.done('list')).toMatchObject({ decks: [{ version }] });
    }
    const { decks } = await there.done<{ decks: { links: { name: string; passcode?: string }[] }[] }>(
      'account',
      'import',
      out,
    );
    expect(decks.flatMap(({ links }) => links)).toMatchObject([
      { name: 'default' },
      { name: 'Investors', passcode: expect.stringMatching(/^.{12}$/) as string },
      { name: 'default' },
    ]);
    const [before, after] = [await decksOf(owner), await decksOf(there)];
    expect(before.map(({ versions, links }) => [versions.length, links.length])).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect(after).toEqual(before);
    // Nothing is imported twice.
    expect(await there.done('account', 'import', out)).toMatchObject({ decks: [] });
  },
);
