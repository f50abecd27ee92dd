import { randomUUID } from 'node:crypto';
import { atOnce, outcomes, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { aCode, aKnownDevice, logIn, requestCode, requestSignupCode } from '../../support/sign-in';
import { startWorld, succeed, world } from '../../support/world';

/** What a mail with a code says, and its link, which stops codes for devices that have not signed in before. */

startWorld();

const visit = async (token: string, query = '', method = 'GET') => {
  const address = `${world.cloud.hostingUrl}/codes/${token}${query}`;
  const response = await fetch(address, { redirect: 'error', method });
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
};
/** Stops codes for an address, to which a code was mailed. */
async function stop(email: string): Promise<void> {
  const { status, text } = await visit(await world.codeLink(email), '', 'POST');
  expect([status, text.includes('stopped sending codes')]).toEqual([200, true]);
}
const mailsTo = async (email: string) => (await world.mails(email)).length;

test('a mail with a code names the client in fixed words', async () => {
  const { email } = await world.anOwner();
  await aCode(email, undefined, { userAgent: 'Call 555 1234 now: https://evil.example/' });
  const [mail] = await world.mails(email);
  for (const content of [mail!.text, mail!.html]) {
    expect(content).toContain('It was requested with a program.');
    expect(content).not.toContain('evil');
  }
});

test('its link reveals no address, and a GET changes nothing', async () => {
  const { email } = await world.anOwner();
  await aCode(email);
  const token = await world.codeLink(email);
  expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain(email.slice(0, 12));
  for (const query of ['', '?choice=stop', '?choice=resume']) {
    for (const method of ['GET', 'HEAD']) expect((await visit(token, query, method)).status).toBe(200);
  }
  const page = await visit(token);
  expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' });
  expect([page.text.includes(email), page.text.includes('<script'), page.text.includes('Stop codes')]).toEqual([
    false,
    false,
    true,
  ]);
  passSeconds(31);
  await succeed(requestCode(email));
  expect(await mailsTo(email)).toBe(2);
});

test('a POST stops codes for unknown devices, whose requests look as if a mail had gone', async () => {
  const { email, deviceToken } = await aKnownDevice();
  passSeconds(31);
  await aCode(email, deviceToken);
  await stop(email);
  const before = await mailsTo(email);
  const stopped = await requestCode(email);
  expect(stopped.data).toEqual({ email, expiresInSeconds: 600, requestToken: expect.stringMatching(/^[\w-]{43}$/) });
  expect(await refusal(requestCode(email))).toEqual([429, 'OTP_RESEND_COOLDOWN']);
  expect(await mailsTo(email)).toBe(before);
  const { requestToken } = stopped.data;
  const guesses = await atOnce(6, (i) => logIn(email, `00000${i}`, requestToken));
  expect(outcomes(guesses)).toEqual({ OTP_INVALID: 4, OTP_LOCKED_OUT: 1, OTP_NOT_FOUND: 1 });
  expect((await visit(await world.codeLink(email))).text).toContain('Allow codes again');

  // A known device gets its code. Its sign-in ends the stop.
  passSeconds(31);
  const [code, own] = await aCode(email, deviceToken);
  expect(await mailsTo(email)).toBe(before + 1);
  await succeed(logIn(email, code, own));
  await succeed(requestCode(email));
  expect(await mailsTo(email)).toBe(before + 2);
});

test('a stop leaves the codes that were mailed, and ends after 24 hours or by its button', async () => {
  const email = `${randomUUID()}@example.org`;
  await succeed(requestSignupCode(email));
  await stop(email);
  passSeconds(31);
  await succeed(requestSignupCode(email));
  expect(await mailsTo(email)).toBe(1);
  expect((await visit(await world.codeLink(email), '?choice=resume', 'POST')).text).toContain(
    'We are sending codes again',
  );
  passSeconds(31);
  await succeed(requestSignupCode(email));
  expect(await mailsTo(email)).toBe(2);
  const code = await world.mailedCode(email);
  await stop(email);
  const user = { firstName: 'Ada' };
  await succeed(world.call('completeDashboardSignup', { email, code, user }));

  const other = await world.anOwner();
  await aCode(other.email);
  await stop(other.email);
  passSeconds(86_400 - 10);
  await succeed(requestCode(other.email));
  expect(await mailsTo(other.email)).toBe(1);
  passSeconds(41);
  await succeed(requestCode(other.email));
  expect(await mailsTo(other.email)).toBe(2);
});

test('a link works for 24 hours, and one that the service did not write is not found', async () => {
  const { email } = await world.anOwner();
  await aCode(email);
  const token = await world.codeLink(email);
  for (const cut of each(['', 'x', token.slice(0, -1), `${token}/x`, `x${token}`])) {
    for (const method of ['GET', 'POST']) expect([cut, (await visit(cut, '', method)).status]).toEqual([cut, 404]);
  }
  expect((await visit(token, '?choice=all', 'POST')).status).toBe(400);
  passSeconds(86_400);
  for (const method of ['GET', 'POST']) expect((await visit(token, '', method)).status).toBe(410);
  await succeed(requestCode(email));
  expect(await mailsTo(email)).toBe(2);
});
