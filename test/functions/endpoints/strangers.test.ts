import { randomUUID } from 'node:crypto';
import { forgetDevices } from '../../../functions/src/records/devices';
import { transact } from '../../../functions/src/records/transact';
import { findUserByEmail } from '../../../functions/src/records/users';
import { writeDeviceToken } from '../../../functions/src/values/device-tokens';
import { atOnce, fullRefusal, outcomes, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { aCode, aKnownDevice, logIn, requestCode, requestSignupCode, wrong } from '../../support/sign-in';
import type { Answers } from '../../support/sign-in';
import { startWorld, succeed, world } from '../../support/world';

/**
 * Strangers who know an address and all rules, and who have as many networks as they like. They want to close the login
 * of the address, or to guess a code.
 */

startWorld();

describe('a stranger who guesses', () => {
  test.each(['known', 'new'])(
    'every four seconds, from many networks, does not end the code of a %s device',
    async (which) => {
      const { email, deviceToken } = await aKnownDevice();
      passSeconds(31);
      const [code, requestToken] = await aCode(email, which === 'known' ? deviceToken : undefined);
      const stranger: Answers = [];
      for (let second = 0; second < 40; second += 4) {
        const asked = await requestCode(email);
        const ofStranger = asked.status === 200 ? asked.data.requestToken : undefined;
        stranger.push(await logIn(email, wrong(code)), await logIn(email, wrong(code), ofStranger ?? randomUUID()));
        passSeconds(4);
      }
      expect(Object.keys(outcomes(stranger))).toEqual(expect.arrayContaining(['OTP_LOCKED_OUT', 'OTP_NOT_FOUND']));
      // The owner mistypes the code four times, and still gets in.
      for (const attemptsRemaining of [4, 3, 2, 1]) {
        const refused = [400, 'OTP_INVALID', { attemptsRemaining }];
        expect(await fullRefusal(logIn(email, wrong(code), requestToken))).toEqual(refused);
      }
      expect((await logIn(email, code, requestToken)).status).toBe(200);
    },
  );

  test('from one network has sixty wrong codes an hour, for whatever addresses', async () => {
    const network = randomUUID();
    const emails = (await atOnce(4, () => world.anOwner())).map(({ email }) => email);
    const codes = await Promise.all(emails.map((email) => aCode(email)));
    const guess = (i: number) => logIn(emails[i % 4]!, wrong(codes[i % 4]![0]), undefined, { network });
    const answers = await atOnce(60, guess);
    expect(outcomes(answers)).toEqual({ OTP_INVALID: 16, OTP_LOCKED_OUT: 4, OTP_NOT_FOUND: 40 });
    const [email, [code, requestToken]] = [emails[0]!, codes[0]!];
    const limited = { limit: 60, windowSeconds: 3600 };
    expect(await fullRefusal(guess(0))).toMatchObject([429, 'IP_RATE_LIMITED', limited]);
    expect(await refusal(logIn(email, code, requestToken, { network }))).toEqual([429, 'IP_RATE_LIMITED']);
    for (const name of each(['cliCompleteSignup', 'completeDashboardSignup', 'createDashboardSession'])) {
      const body = { email, code, user: {} };
      const headers = { 'x-forwarded-for': network };
      expect(await refusal(world.call(name, body, { headers }))).toEqual([429, 'IP_RATE_LIMITED']);
    }
    expect((await logIn(email, code, requestToken)).status).toBe(200);
    passSeconds(3600);
    expect((await guess(1)).error.code).not.toBe('IP_RATE_LIMITED');
  });
});

describe('the token of a request', () => {
  test('tries the code of its request alone', async () => {
    const { email } = await world.anOwner();
    const [first, firstToken] = await aCode(email);
    passSeconds(31);
    const [second, secondToken] = await aCode(email);
    const other = await world.anOwner();
    const [, ofOther] = await aCode(other.email);
    for (const none of ['', 'x'.repeat(200), ofOther]) {
      expect(await refusal(logIn(email, second, none))).toEqual([404, 'OTP_NOT_FOUND']);
    }
    expect(await refusal(logIn(email, 'x', ofOther))).toEqual([400, 'OTP_INVALID']);
    if (first !== second) expect((await logIn(email, second, firstToken)).error.code).toBe('OTP_INVALID');
    const body = { email, code: second, requestToken: secondToken, user: { firstName: 'Eve' } };
    expect((await world.call('cliCompleteSignup', body)).error.code).toBe('OTP_PURPOSE_MISMATCH');
    const known = { email, code: first, requestToken: firstToken };
    expect((await world.call('createDashboardSession', known)).status).toBe(200);
  });

  test('signs up, also when the name comes later', async () => {
    const email = `${randomUUID()}@example.org`;
    const { requestToken } = await succeed(requestSignupCode(email));
    const code = await world.mailedCode(email);
    await atOnce(10, () => world.call('completeDashboardSignup', { email, code: wrong(code), user: {} }));
    const body = { email, code, requestToken };
    const named = await refusal(world.call('completeDashboardSignup', { ...body, user: {} }));
    expect(named).toEqual([400, 'USER_FIRST_NAME_REQUIRED']);
    const user = { firstName: 'Ada' };
    const { data } = await world.call<{ deviceToken: string }>('completeDashboardSignup', { ...body, user });
    expect((await requestCode(email, data.deviceToken)).status).toBe(200);
  });
});

describe('the token of a device', () => {
  test('is good for its address, for ninety days, until the devices of the user are forgotten', async () => {
    const { email, deviceToken } = await aKnownDevice();
    const [other, foreign] = [await aKnownDevice(), await aKnownDevice()];
    const changed = deviceToken.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const user = (await transact((tx) => findUserByEmail(tx, email)))!;
    const device = { email, userId: user.userId, epoch: 0 };
    const unsigned = writeDeviceToken('another secret of sixteen', device, new Date());
    // Each of them counts as none, so the cooldown of strangers holds.
    for (const useless of each([undefined, '', 'x', changed, foreign.deviceToken, unsigned, `${deviceToken}0`])) {
      expect(await refusal(requestCode(email, useless))).toEqual([429, 'OTP_RESEND_COOLDOWN']);
    }
    expect((await requestCode(email, deviceToken)).status).toBe(200);
    await transact((tx) => Promise.resolve(forgetDevices(tx, user)));
    passSeconds(31);
    expect((await requestCode(email)).status).toBe(200);
    expect(await refusal(requestCode(email, deviceToken))).toEqual([429, 'OTP_RESEND_COOLDOWN']);

    passSeconds(90 * 86_400 - 41);
    expect((await requestCode(other.email, other.deviceToken)).status).toBe(200);
    passSeconds(20);
    expect((await requestCode(other.email, other.deviceToken)).status).toBe(200);
    expect(await refusal(requestCode(other.email, other.deviceToken))).toEqual([429, 'OTP_RESEND_COOLDOWN']);
  });

  test('opens nothing: it is neither a key nor a code', async () => {
    const { email, deviceToken } = await aKnownDevice();
    expect((await world.call('verifyApiKey', undefined, { key: deviceToken })).status).toBe(401);
    expect((await logIn(email, deviceToken)).error.code).toBe('OTP_INVALID');
    expect(await refusal(logIn(email, '123456', deviceToken))).toEqual([404, 'OTP_NOT_FOUND']);
  });

  test('allows twenty requests an hour', async () => {
    const { email, deviceToken } = await aKnownDevice();
    for (let i = 0; i < 20; i++) {
      expect((await requestCode(email, deviceToken)).status).toBe(200);
      passSeconds(31);
    }
    expect(await refusal(requestCode(email, deviceToken))).toEqual([429, 'EMAIL_RATE_LIMITED']);
    expect((await requestCode(email)).status).toBe(200);
  });
});
