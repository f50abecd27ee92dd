import { hostname } from 'node:os';
import { aCode, anOwner, fillKeys, keysOf, login, NAME, whoami } from './keys-of-account';
import { inTerminal, testbed, withTestbed, words } from './testbed';

/** Logins on a computer that has a key: after a kill, after a refusal, and at 20 keys. */

withTestbed();

describe('in a terminal', () => {
  inTerminal('a login at 20 keys offers to revoke one, with the same code', async () => {
    const { computer, email } = await anOwner();
    await fillKeys(computer);
    await testbed.later(31);
    const screen = computer.inTerminal(['login', '--email', email]);
    await screen.shows('Code from the mail:');
    screen.type(`${await testbed.newestCode(email)}\r`);
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

  test('keeps both keys valid when it cannot revoke the old one, and the next login revokes it', async () => {
    const { computer, email } = await anOwner();
    const before = await computer.key();
    const args = await aCode(computer, email, 'login', '--publish', '--email', email);
    testbed.proxy.answer('revokeApiKey', 403, { success: false, error: { code: 'permission-denied', message: 'No.' } });
    expect(await computer.done(...args)).toMatchObject({ warnings: [{ message: words('No.') }] });
    testbed.proxy.reset();
    for (const raw of [before, await computer.key()]) expect((await whoami(computer, raw)).code).toBe(0);
    await login(computer, email, '--publish');
    expect((await whoami(computer, before)).code).toBe(3);
    const name = `CLI key that may publish (${hostname()})`;
    expect(await keysOf(computer)).toMatchObject([{ isCaller: true, name }]);
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
