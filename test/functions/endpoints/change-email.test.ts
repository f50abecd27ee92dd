import { randomUUID } from 'node:crypto';
import { atOnce, fullRefusal, outcomes, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { runJob } from '../../support/jobs';
import { behindMailGateway, failing } from '../../support/mail-gateway';
import { aCode, requestCode, requestSignupCode, wrong } from '../../support/sign-in';
import { makeWebhook } from '../../support/webhooks';
import { type Account, page, startWorld, succeed, world } from '../../support/world';

/** A change of the address of an account: two codes, what stays and moves, and how it is taken back. */

startWorld();

const DAY = 24 * 3600;
const anAddress = () => `new-${randomUUID()}@example.org`;

interface Person extends Account {
  session: string;
}
async function aPerson(): Promise<Person> {
  const owner = await world.anOwner();
  const session = await world.aDashboardSession(owner);
  return { ...owner, session };
}

interface Codes {
  newEmail: string;
  newCode: string;
  code: string;
  newRequestToken?: string;
  requestToken?: string;
}
/** The codes that were mailed to both addresses. */
async function codesFor({ session, email }: Person, newEmail = anAddress()): Promise<Codes> {
  passSeconds(31);
  type Tokens = { requestToken: string; newRequestToken: string };
  const asked = world.call<Tokens>('requestAccountCode', { purpose: 'change-email', newEmail }, { key: session });
  const { requestToken, newRequestToken } = await succeed(asked);
  const [code, newCode] = [await world.mailedCode(email), await world.mailedCode(newEmail)];
  return { newEmail, newCode, code, newRequestToken, requestToken };
}
const send = (codes: Codes, { session }: Person, network = randomUUID() as string) =>
  world.call<{ user: { email: string } }>('changeEmail', codes, {
    key: session,
    headers: { 'x-forwarded-for': network },
  });
const change = async (person: Person, newEmail?: string): Promise<Person> => {
  const codes = await codesFor(person, newEmail);
  await succeed(send(codes, person));
  return { ...person, email: codes.newEmail };
};
const addressOf = async ({ session }: Person) =>
  (await succeed(world.call<{ user: { email: string } }>('getAccount', undefined, { key: session }))).user.email;
const openLink = async (token: string, method = 'POST') => {
  const response = await fetch(`${world.cloud.hostingUrl}/codes/${token}`, { method });
  return { status: response.status, text: await response.text() };
};
/** The mails that tell an address of a change, the newest first. */
const mailsOfChanges = async (email: string) =>
  (await world.mails(email)).filter(({ subject }) => subject === 'Your address was changed');
/** The token of the link that takes the last change from an address back. */
const takeBackLink = async (email: string) => /\/codes\/([\w-]+)/.exec((await mailsOfChanges(email))[0]!.text)![1]!;
/** Asks for a code to sign in, when the pause after the code before it is over. */
const askForCode = (email: string) => {
  passSeconds(31);
  return requestCode(email);
};
/** A sign-up with a mailed code, which is ready to be sent. */
async function aSignUp(email: string) {
  passSeconds(31);
  await succeed(requestSignupCode(email));
  const input = { email, code: await world.mailedCode(email), user: { firstName: 'Eve' } };
  return () => world.call('completeDashboardSignup', input);
}

test('both codes change the address, keys and sessions stay, and sign-ins need the new address', async () => {
  const person = await aPerson();
  const codes = await codesFor(person);
  const { user } = await succeed(send(codes, person));
  expect([user.email, await addressOf(person)]).toEqual([codes.newEmail, codes.newEmail]);
  expect((await world.call('verifyApiKey', undefined, { key: person.key })).status).toBe(200);
  expect(await refusal(askForCode(person.email))).toEqual([404, 'USER_NOT_FOUND']);
  const [code] = await aCode(codes.newEmail);
  await succeed(world.call('createDashboardSession', { email: codes.newEmail, code }));
});

test('a repeated call answers as the first, and changes nothing', async () => {
  const person = await aPerson();
  const codes = await codesFor(person);
  await succeed(send(codes, person));
  expect((await succeed(send(codes, person))).user.email).toBe(codes.newEmail);
  expect(await mailsOfChanges(person.email)).toHaveLength(1);
});

test.each(['code', 'newCode'] as const)('a wrong %s is named and counted, and uses neither code', async (field) => {
  const person = await aPerson();
  const codes = await codesFor(person);
  const refused = [400, 'OTP_INVALID', { attemptsRemaining: 4, field }];
  expect(await fullRefusal(send({ ...codes, [field]: wrong(codes[field]) }, person))).toEqual(refused);
  expect(await addressOf(person)).toBe(person.email);
  await succeed(send(codes, person));
});

test('a code is for the addresses of its mails alone', async () => {
  const person = await aPerson();
  const first = await codesFor(person);
  const second = await codesFor(person);
  // The code at the present address names the other new address.
  const mixed = { ...second, code: first.code, requestToken: first.requestToken };
  expect((await fullRefusal(send(mixed as Codes, person)))[1]).toBe('OTP_INVALID');
  const other = await aPerson();
  const ofOther = await codesFor(other);
  const stolen = { ...ofOther, newEmail: second.newEmail, newCode: second.newCode };
  delete stolen.newRequestToken;
  expect((await fullRefusal(send(stolen, other)))[1]).toBe('OTP_INVALID');
});

test('of two changes at once one wins, and a sign-in with an older code of the former address fails', async () => {
  const person = await aPerson();
  const [login] = await aCode(person.email);
  const codes = [await codesFor(person), await codesFor(person)];
  const answers = await atOnce(2, (i) => send(codes[i]!, person));
  expect(outcomes(answers)['ok']).toBe(1);
  const winner = answers.findIndex(({ status }) => status === 200);
  expect(await addressOf(person)).toBe(codes[winner]!.newEmail);
  const signIn = await world.call('createDashboardSession', { email: person.email, code: login });
  expect(signIn.status).toBeGreaterThanOrEqual(400);
});

test('of a signup and a change to one address one wins', async () => {
  const person = await aPerson();
  const newEmail = anAddress();
  const signUp = await aSignUp(newEmail);
  const codes = await codesFor(person, newEmail);
  const [signedUp, changed] = await Promise.all([signUp(), send(codes, person)]);
  expect([signedUp.status, changed.status].filter((status) => status === 200)).toHaveLength(1);
  const users = await world.database.collection('users').where('email', '==', newEmail).get();
  expect(users.size).toBe(1);
});

test('an address that got an account meanwhile is refused', async () => {
  const [person, other] = [await aPerson(), await aPerson()];
  const codes = await codesFor(person);
  const taken = await codesFor(other, codes.newEmail);
  await succeed(send(taken, other));
  expect((await fullRefusal(send(codes, person)))[1]).toMatch(/USER_ALREADY_HAS_ORGANIZATION|OTP_/);
  expect(await addressOf(person)).toBe(person.email);
});

test('access to decks of others moves along, and invitations of the new address become active', async () => {
  const owner = await world.anOwner('pro');
  const [first, second] = [await world.aDeck(owner, [page()]), await world.aDeck(owner, [page()])];
  const person = await aPerson();
  const newEmail = anAddress();
  const invite = ({ presentationId }: { presentationId: string }, email: string) =>
    succeed(world.call('inviteCollaborator', { presentationId, email }, { key: owner.key }));
  await invite(first, person.email);
  await invite(first, newEmail);
  await invite(second, newEmail);
  await change(person, newEmail);
  for (const { presentationId } of [first, second]) {
    type Rows = { collaborators: { email: string; status: string }[] };
    const list = world.call<Rows>('listCollaborators', { presentationId }, { key: owner.key });
    expect((await succeed(list)).collaborators).toMatchObject([{ email: newEmail, status: 'active' }]);
    const record = await world.database.doc(`presentations/${presentationId}`).get();
    expect(record.data()).toMatchObject({ memberIds: { length: 2 }, pendingInvitations: 0 });
    await succeed(world.call('leavePresentation', { presentationId }, { key: person.key }));
  }
});

describe('the former address', () => {
  test('is told, takes the change back, and ends all sessions and keys; a GET changes nothing', async () => {
    const person = await aPerson();
    const changed = await change(person);
    const token = await takeBackLink(person.email);
    const [mail] = await world.mails(person.email);
    expect(mail!.text).toContain(`from ${person.email} to ${changed.email}`);
    const shown = await openLink(token, 'GET');
    expect([shown.status, shown.text.includes('Take the change back')]).toEqual([200, true]);
    expect(await addressOf(person)).toBe(changed.email);
    await makeWebhook(world, { key: person.session }, { includeReaders: true });
    const takeBack = async () => {
      const { status, text } = await openLink(token);
      expect([status, text.includes('has its earlier address again')]).toEqual([200, true]);
    };
    await takeBack();
    expect((await world.call('getAccount', undefined, { key: person.session })).status).toBe(401);
    expect((await world.call('verifyApiKey', undefined, { key: person.key })).status).toBe(401);
    // Neither the same request again nor the job ends what the owner begins after that.
    const [code] = await aCode(person.email);
    expect(await refusal(askForCode(changed.email))).toEqual([404, 'USER_NOT_FOUND']);
    const signIn = world.call<{ sessionToken: string }>('createDashboardSession', { email: person.email, code });
    const session = (await succeed(signIn)).sessionToken;
    await takeBack();
    await runJob('finishAccountChanges');
    expect(await addressOf({ ...person, session })).toBe(person.email);
    const { webhooks } = await succeed(world.call('listWebhooks', undefined, { key: session }));
    expect(webhooks).toMatchObject([{ status: 'disabled', disabledBy: 'user' }]);
    await runJob('sweepWebhooks');
    const [told] = await world.mails(person.email);
    expect(told!.text).toContain('hooks.example.com was disabled, because a change of the address');
  });

  test('takes later changes back too, whose links then do nothing', async () => {
    const person = await aPerson();
    const second = await change(person);
    await change(second);
    const ofSecond = await takeBackLink(second.email);
    await openLink(await takeBackLink(person.email));
    expect((await openLink(ofSecond)).status).toBe(410);
    await succeed(askForCode(person.email));
  });

  test('that another account got since a later change is not given back, which the page says; the first one is', async () => {
    const person = await aPerson();
    const second = await change(person);
    await change(second);
    const ofSecond = await takeBackLink(second.email);
    await succeed((await aSignUp(second.email))());
    const { status, text } = await openLink(ofSecond);
    expect([status, text.includes('use the link in the email about the first change')]).toEqual([409, true]);
    expect((await openLink(await takeBackLink(person.email))).status).toBe(200);
    await succeed(askForCode(person.email));
  });

  test('has a link for 7 days, in which nobody else gets the address', async () => {
    const person = await aPerson();
    const changed = await change(person);
    const token = await takeBackLink(person.email);
    passSeconds(7 * DAY - 120);
    const signUp = async () => (await aSignUp(person.email))();
    const other = await aPerson();
    const toTheAddress = async () => send(await codesFor(other, person.email), other);
    for (const attempt of [signUp, toTheAddress])
      expect(await refusal(attempt())).toEqual([409, 'USER_ALREADY_HAS_ORGANIZATION']);
    passSeconds(120);
    await runJob('finishAccountChanges');
    expect((await openLink(token)).status).toBe(410);
    expect((await signUp()).status).toBe(200);
    await succeed(askForCode(changed.email));
  });

  test.each([
    [500, 'internal_server_error'],
    [403, 'invalid_api_key'],
  ])('is told by the job when the provider accepted no mail, once: %i', async (...fault) => {
    const person = await aPerson();
    const codes = await codesFor(person);
    await behindMailGateway(async (gateway) => {
      gateway.plan(...failing(...fault));
      await succeed(send(codes, person));
    });
    await runJob('finishAccountChanges');
    await runJob('finishAccountChanges');
    expect(await mailsOfChanges(person.email)).toHaveLength(1);
    expect(await takeBackLink(person.email)).toBeTruthy();
  });
});

test('an address is told of a change once, also when the mail of another change is refused for days', async () => {
  let person = await aPerson();
  const first = person.email;
  const refused = failing(403, 'invalid_api_key');
  for (const answers of [refused, [{ do: 'pass' } as const, ...refused]]) {
    const codes = await codesFor(person);
    await behindMailGateway(async (gateway) => {
      gateway.plan(...answers);
      await succeed(send(codes, person));
    });
    person = { ...person, email: codes.newEmail };
  }
  passSeconds(DAY + 1);
  await runJob('finishAccountChanges');
  expect(await mailsOfChanges(first)).toHaveLength(1);
});

test('an account has ten changes in 7 days', async () => {
  let person = await aPerson();
  for (let i = 0; i < 10; i++) person = await change(person);
  const limited = { limit: 10, windowSeconds: 7 * DAY };
  expect(await fullRefusal(send(await codesFor(person), person))).toMatchObject([429, 'rate-limited', limited]);
});
