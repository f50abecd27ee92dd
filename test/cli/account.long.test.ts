import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aCode, anOwner, fillKeys, keysOf, login, NAME, typeCode, withCodeTyped } from './keys-of-account';
import { aNewFolder, filesOf } from './pulled-folders';
import { inTerminal, Testbed, testbed, withTestbed, type Computer } from './testbed';

/** Logins on a computer that has a key, after a kill and at 20 keys; and an account that moves. */

withTestbed();

describe('in a terminal', () => {
  inTerminal('a login at 20 keys offers to revoke one, with the same code', async () => {
    const { computer, email } = await anOwner();
    await fillKeys(computer);
    const screen = await withCodeTyped(computer, email, 'login', '--email', email);
    await screen.shows('cko_KE07…  Old 07');
    await screen.answer('Prefix of the key to revoke:', 'cko_XXXX');
    await screen.answer('Enter the prefix of one of these keys.', 'cko_KE07');
    await screen.shows('Revoked the key cko_KE07… "Old 07"');
    await screen.shows(`Signed in as ${email}`);
    expect(await screen.exitCode()).toBe(0);
    expect((await keysOf(computer)).map(({ name }) => name)).not.toContain('Old 07');
  });
});

describe('a login on a computer that has a key', () => {
  test('at 20 keys and without a terminal lists them, keeps the key, and names the command that needs one new code', async () => {
    const { computer, email } = await anOwner();
    await fillKeys(computer);
    const before = await computer.key();
    const args = await aCode(computer, email, 'login', '--email', email);
    testbed.proxy.reset();
    const error = await computer.refused(...args);
    const once = { createDashboardSession: 1, createApiKey: 1, listApiKeys: 1, endDashboardSession: 1 };
    expect(testbed.proxy.calls).toEqual(once);
    expect(error).toMatchObject({ code: 'MAX_API_KEYS_REACHED', details: { keys: { length: 19 } } });
    const [, prefix] = /--revoke (cko_KE\d\d)/.exec(error.nextAction) ?? [];
    expect(await computer.key()).toBe(before);
    expect(await login(computer, email, '--revoke', prefix!)).toMatchObject({ status: 'signed-in' });
    const prefixes = (await keysOf(computer)).map(({ keyPrefix }) => keyPrefix);
    expect([prefixes.length, prefixes.includes(prefix!)]).toEqual([19, false]);
  });

  test('killed after the key was made keeps the old one, and the next login to the organization revokes the lost one', async () => {
    const { computer, email } = await anOwner();
    const other = testbed.anEmail();
    await (await testbed.aSignedInComputer(other)).done('logout');
    const before = await computer.key();
    const args = await aCode(computer, email, 'login', '--email', email, '--publish');
    await computer.stoppedAt({ name: 'createApiKey', fate: 'lose the answer' }, args, 'SIGKILL');
    expect(await computer.key()).toBe(before);
    expect((await keysOf(computer)).map(({ isCaller }) => isCaller).sort()).toEqual([false, true]);
    // The lost key is remembered through the logins of another account.
    await login(computer, other);
    await computer.done('logout');
    await login(computer, email);
    expect(await keysOf(computer)).toMatchObject([{ isCaller: true, name: NAME }]);
  });
});

describe('an account moves to another service', () => {
  let other: Testbed;
  beforeAll(async () => {
    other = await Testbed.create();
  });
  afterAll(() => other.close());

  /** What a service has of the decks of an account, without what it gave them itself. */
  async function decksOf(of: Computer) {
    type Version = Record<'version' | 'title' | 'message', unknown>;
    type Link = Record<'name' | 'pinnedVersion' | 'hasPasscode' | 'allowedEmailCount', unknown>;
    const { decks } = await of.done<{ decks: { id: string; title: string }[] }>('list');
    const found = decks.map(async ({ id, title }) => {
      const { versions } = await of.done<{ versions: Version[] }>('versions', id);
      const { links } = await of.done<{ links: Link[] }>('links', '--deck', id);
      const folder = aNewFolder();
      await of.done('pull', id, folder);
      return {
        title,
        pulled: await filesOf(folder),
        versions: versions.map(({ version, title: named, message }) => [version, named, message]),
        links: links.map(({ name, ...link }) => [name, link.pinnedVersion, link.hasPasscode, link.allowedEmailCount]),
      };
    });
    return (await Promise.all(found)).sort((a, b) => (a.title < b.title ? -1 : 1));
  }

  inTerminal('an import that is killed twice makes the same decks, versions and links at another service', async () => {
    const email = testbed.anEmail();
    const owner = await testbed.aSignedInComputer(email);
    const folder = await testbed.aFolder({ 'index.html': '<title>Talk</title>one', 'a/b.css': 'a {}' });
    await owner.done('push', folder, '--message', 'first');
    await writeFile(join(folder, 'index.html'), '<title>Talk</title>two');
    await owner.done('push', folder, '--title', 'Another talk');
    const link = ['links', 'add', 'Investors', '--deck', folder, '--pin', '1', '--passcode'];
    expect((await owner.deck(link, {}, 'analytical-7')).code).toBe(0);
    await owner.done('restore', '1', '--deck', folder);
    await owner.done('push', await testbed.aFolder({ 'index.html': '<title>Zoo</title>' }));
    const out = join(testbed.folder, 'exported');
    await testbed.later(30);
    const screen = await withCodeTyped(owner, email, 'account', 'export', '--out', out);
    await screen.shows('Another code was sent');
    await typeCode(screen, email);
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
    // A call that is repeated makes nothing twice.
    other.proxy.loseAnswer('restorePresentationVersion', 'addPresentationToken');
    const { decks } = await there.done<{ decks: { links: object[] }[] }>('account', 'import', out);
    expect(decks.flatMap(({ links }) => links)).toMatchObject([
      { name: 'default' },
      { name: 'Investors', passcode: expect.stringMatching(/^.{12}$/) as string },
      { name: 'default' },
    ]);
    const [before, after] = [await decksOf(owner), await decksOf(there)];
    expect(before.map(({ versions, links }) => [versions.length, links.length])).toEqual([
      [3, 2],
      [1, 1],
    ]);
    expect(after).toEqual(before);
    // Nothing is imported twice.
    expect(await there.done('account', 'import', out)).toMatchObject({ decks });
    expect(await decksOf(there)).toEqual(after);
  });
});
