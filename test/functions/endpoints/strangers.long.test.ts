import { randomUUID } from 'node:crypto';
import { atOnce, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { aCode, aKnownDevice, compared, logIn, requestCode, wrong, type Answers } from '../../support/sign-in';
import { startWorld, succeed, world } from '../../support/world';

/** What strangers reach who request codes for a day, or from the network of a known device. */

startWorld();

/**
 * What a stranger does in a time: requests a code whenever the rules allow it, and guesses every thirteenth code in
 * both ways, until the service compares nothing more. Guesses are wrong on purpose: the test counts how many were
 * compared.
 */
async function attack(email: string, seconds: number): Promise<{ requests: number; compared: number[] }> {
  const done = { requests: 0, compared: [] as number[] };
  const end = Date.now() + seconds * 1000;
  // Without the limits the day would be thousands of requests.
  while (Date.now() < end && done.requests < 100) {
    const asked = await requestCode(email);
    if (asked.status !== 200) {
      expect(['OTP_RESEND_COOLDOWN', 'EMAIL_RATE_LIMITED']).toContain(asked.error.code);
      passSeconds(Math.min(asked.error.details!['retryInSeconds'] as number, (end - Date.now()) / 1000));
      continue;
    }
    if (done.requests++ % 13 > 0) continue;
    const guess = wrong(await world.mailedCode(email));
    const { requestToken } = asked.data;
    const answers: Answers = [];
    for (let i = 0; i < 12; i++) answers.push(await logIn(email, guess, i % 2 ? requestToken : undefined));
    done.compared.push(compared(answers));
  }
  return done;
}

describe('a stranger who requests codes', () => {
  test('for a day has ten guesses for each, and closes new devices, and no device that has signed in before', async () => {
    const { email, deviceToken } = await aKnownDevice();
    passSeconds(31);
    // With the code of the owner, 40 codes in a day are 400 guesses of a million codes.
    expect(await attack(email, 20 * 3600)).toEqual({ requests: 39, compared: [10, 10, 10] });
    const details = { limit: 40, windowSeconds: 86_400 };
    expect((await requestCode(email)).error).toMatchObject({ code: 'EMAIL_RATE_LIMITED', details });
    // The newest code, for clients without tokens, is the stranger's. The known device has a cooldown of its own.
    const [code, requestToken] = await aCode(email, deviceToken);
    expect(await refusal(requestCode(email, deviceToken))).toEqual([429, 'OTP_RESEND_COOLDOWN']);
    const answer = await succeed(logIn(email, code, requestToken));
    expect(answer.deviceToken).toMatch(/^ckd_\d+_[\da-f]{64}$/);
    passSeconds(31);
    expect((await requestCode(email, answer.deviceToken)).status).toBe(200);
  });

  test('does not push out the code of a known device, and gets none of its answers', async () => {
    const { email, deviceToken } = await aKnownDevice();
    const [code, requestToken] = await aCode(email, deviceToken);
    const tokens: string[] = [];
    for (let i = 0; i < 19; i++) {
      passSeconds(31);
      tokens.push((await succeed(requestCode(email))).requestToken);
    }
    for (const token of each(tokens)) expect((await logIn(email, code, token)).error.code).toBe('OTP_INVALID');
    expect((await logIn(email, code, requestToken)).status).toBe(200);
    // A right code ends all.
    for (const token of each(tokens)) expect((await logIn(email, code, token)).error.code).toBe('OTP_NOT_FOUND');
    expect(await refusal(logIn(email, code, requestToken))).toEqual([409, 'OTP_ALREADY_USED']);
    expect(await refusal(logIn(email, code))).toEqual([409, 'OTP_ALREADY_USED']);
  });

  test('and guesses in the network of a known device does not close it', async () => {
    const network = randomUUID();
    const { email, deviceToken } = await aKnownDevice();
    const other = await world.anOwner();
    await atOnce(60, () => requestCode(`${randomUUID()}@example.org`, undefined, { network }));
    await atOnce(60, () => logIn(other.email, '123456', undefined, { network }));
    expect(await refusal(requestCode(other.email, undefined, { network }))).toEqual([429, 'IP_RATE_LIMITED']);
    const [code, requestToken] = await aCode(email, deviceToken, { network });
    expect(await refusal(logIn(email, wrong(code), requestToken, { network }))).toEqual([400, 'OTP_INVALID']);
    expect((await logIn(email, code, requestToken, { network })).status).toBe(200);
  });
});
