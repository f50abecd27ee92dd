import { randomUUID } from 'node:crypto';
import { withAccountCode } from '../../../functions/src/accounts/account-codes';
import { ServiceError } from '../../../functions/src/errors';
import { atOnce, fullRefusal, outcomes, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { behindMailGateway, failing } from '../../support/mail-gateway';
import { aCode, aKnownDevice, logIn, requestCode, requestSignupCode, wrong } from '../../support/sign-in';
import { type Account, startWorld, succeed, world } from '../../support/world';

/**
 * The codes with which the owner of an account confirms what changes the whole account, and the link in a mail with a
 * code, which stops codes for devices that have not signed in before.
 */

startWorld();

interface Asked {
  email: string;
  requestToken: string;
  newEmail?: string;
  newRequestToken?: string;
}

let owner: Account;
let session: string;
beforeEach(async () => {
  owner = await world.anOwner();
  session = await world.aDashboardSession(owner);
  passSeconds(31);
});

const anAddress = () => `new-${randomUUID()}@example.org`;
const ask = (input: object, key = session, network: string = randomUUID()) =>
  world.call<Asked>('requestAccountCode', input, { key, headers: { 'x-forwarded-for': network } });

/** What the service says to a code of the owner that is sent for a purpose. */
async function confirm(purpose: 'delete' | 'export', code: string, requestToken?: string): Promise<string> {
  const { userId } = owner;
  const sent = { userId, code, requestToken, clientAddress: randomUUID(), now: new Date() };
  return withAccountCode(sent, purpose, (_tx, { email }) => Promise.resolve(email)).catch((error: unknown) => {
    if (error instanceof ServiceError) return error.code;
    throw error;
  });
}

test.each([
  ['delete', /is your code to delete your account$/, 'delete your account with all its presentations'],
  ['export', /is your code to export your account$/, 'get a copy of all your data'],
] as const)('the mail to %s the account names the act, and the code is for nothing else', async (...row) => {
  const [purpose, subject, action] = row;
  const { email, requestToken } = await succeed(ask({ purpose }));
  const [mail] = await world.mails(owner.email);
  expect([email, subject.test(mail!.subject), mail!.text.includes(action)]).toEqual([owner.email, true, true]);
  expect(mail!.text).toContain('sign out everywhere');
  expect(mail!.text).not.toContain('/codes/');
  const code = await world.mailedCode(owner.email);
  const other = purpose === 'delete' ? 'export' : 'delete';
  expect(await confirm(other, code, requestToken)).toBe('OTP_PURPOSE_MISMATCH');
  const login = world.call('createDashboardSession', { email, code });
  expect(await refusal(login)).toEqual([409, 'OTP_PURPOSE_MISMATCH']);
  expect(await confirm(purpose, wrong(code), requestToken)).toBe('OTP_INVALID');
  expect(await confirm(purpose, code, requestToken)).toBe(owner.email);
  expect(await confirm(purpose, code, requestToken)).toBe('OTP_ALREADY_USED');
});

test('a code confirms nothing when the account has another address meanwhile', async () => {
  const { requestToken } = await succeed(ask({ purpose: 'delete' }));
  const code = await world.mailedCode(owner.email);
  await world.database.doc(`users/${owner.userId}`).update({ email: anAddress() });
  expect(await confirm('delete', code, requestToken)).toBe('OTP_NOT_FOUND');
});

test('a change of address has a code at each of both addresses, and the old one reads the new one', async () => {
  const newEmail = anAddress();
  const asked = await succeed(ask({ purpose: 'change-email', newEmail: ` ${newEmail.toUpperCase()} ` }));
  expect(asked).toMatchObject({ email: owner.email, newEmail, expiresInSeconds: 600 });
  expect(asked.newRequestToken).not.toBe(asked.requestToken);
  const [old] = await world.mails(owner.email);
  expect(old!.text).toContain(`change the address of your account to ${newEmail}`);
  const [next] = await world.mails(newEmail);
  expect(next!.subject).toMatch(/^\d{6} is your code for your new address$/);
  expect([next!.text.includes(owner.email), next!.text.includes('/codes/')]).toEqual([false, true]);
});

test('an address with an account gets no code, and the present one none for it', async () => {
  const taken = await world.anOwner();
  for (const newEmail of [taken.email, owner.email]) {
    const answer = await refusal(ask({ purpose: 'change-email', newEmail }));
    expect(answer).toEqual([409, 'USER_ALREADY_HAS_ORGANIZATION']);
  }
  expect([await world.mails(taken.email), await world.mails(owner.email)]).toEqual([[], []]);
});

test('a new address is needed for its change, and for nothing else', async () => {
  expect(await refusal(ask({ purpose: 'change-email' }))).toEqual([400, 'EMAIL_REQUIRED']);
  expect(await refusal(ask({ purpose: 'change-email', newEmail: 'ada' }))).toEqual([400, 'EMAIL_INVALID']);
  expect((await succeed(ask({ purpose: 'delete', newEmail: anAddress() }))).newEmail).toBeUndefined();
});

describe('the limits', () => {
  test('of the present address are those of its own devices: no stranger uses them up', async () => {
    for (let i = 0; i < 20; i++) {
      await succeed(requestCode(owner.email));
      passSeconds(31);
    }
    expect(await refusal(requestCode(owner.email))).toEqual([429, 'EMAIL_RATE_LIMITED']);
    await succeed(ask({ purpose: 'delete' }));
    const again = { retryInSeconds: 30, limit: 1, windowSeconds: 30 };
    expect(await fullRefusal(ask({ purpose: 'export' }))).toEqual([429, 'OTP_RESEND_COOLDOWN', again]);
  });

  test('of a new address are those of strangers, and a refusal leaves the present address its code', async () => {
    const newEmail = anAddress();
    const [other, network] = [await world.aDashboardSession(await world.anOwner()), randomUUID()];
    await succeed(ask({ purpose: 'change-email', newEmail }, other));
    expect(await refusal(ask({ purpose: 'change-email', newEmail }))).toEqual([429, 'OTP_RESEND_COOLDOWN']);
    await succeed(ask({ purpose: 'change-email', newEmail: anAddress() }, session, network));
    passSeconds(31);
    for (let i = 1; i < 60; i++) {
      await ask({ purpose: 'change-email', newEmail: owner.email }, session, network);
    }
    const last = ask({ purpose: 'change-email', newEmail: anAddress() }, session, network);
    expect(await refusal(last)).toEqual([429, 'IP_RATE_LIMITED']);
  });
});

test('when one of two mails is not accepted, neither code counts and the next request may come at once', async () => {
  const newEmail = anAddress();
  await behindMailGateway(async (gateway) => {
    gateway.plan({ do: 'pass' }, ...failing(403, 'invalid_api_key'));
    expect((await ask({ purpose: 'change-email', newEmail })).status).toBe(500);
    gateway.reset();
    await succeed(ask({ purpose: 'change-email', newEmail }));
  });
});

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
  expect(page.text).toContain('Stop codes');
  for (const part of [email, '<script']) expect(page.text).not.toContain(part);
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
  const { text } = await visit(await world.codeLink(email), '?choice=resume', 'POST');
  expect(text).toContain('We are sending codes again');
  passSeconds(31);
  await succeed(requestSignupCode(email));
  expect(await mailsTo(email)).toBe(2);
  const code = await world.mailedCode(email);
  await stop(email);
  await succeed(world.call('completeDashboardSignup', { email, code, user: { firstName: 'Ada' } }));

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
