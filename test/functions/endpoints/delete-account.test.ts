import { randomUUID } from 'node:crypto';
import { findIdentity } from '../../../functions/src/identity/provider';
import { finishAccountDeletions } from '../../support/account-deletion';
import { atOnce, fullRefusal, outcomes, refusal } from '../../support/answers';
import { aBrowser } from '../../support/browser-session';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { runJob } from '../../support/jobs';
import { aCode, logIn, requestCode, requestSignupCode, wrong } from '../../support/sign-in';
import { makeWebhook } from '../../support/webhooks';
import { documentsWith } from '../../support/whole-store';
import { type Account, startWorld, succeed, world } from '../../support/world';

/** The deletion of an account: what ends at once, what races, and how the job goes on. */

startWorld();
beforeEach(() => passSeconds(31));

const NAME = "Ada's workspace";
interface Person extends Account {
  session: string;
}
async function aPerson(): Promise<Person> {
  const owner = await world.anOwner();
  return { ...owner, session: await world.aDashboardSession(owner) };
}
interface Code {
  code: string;
  requestToken: string;
}
async function aDeletionCode({ session, email }: Person, purpose = 'delete'): Promise<Code> {
  const asked = world.call<Code>('requestAccountCode', { purpose }, { key: session });
  const { requestToken } = await succeed(asked);
  return { requestToken, code: await world.mailedCode(email) };
}
const send = ({ session }: Person, code: Code, confirm = NAME) =>
  world.call<{ status: string; email: string }>(
    'deleteAccount',
    { ...code, confirm },
    { key: session, headers: { 'x-forwarded-for': randomUUID() } },
  );
async function deleteAccount(person: Person): Promise<void> {
  await succeed(send(person, await aDeletionCode(person)));
}
async function signUp(email: string) {
  await succeed(requestSignupCode(email));
  const input = { email, code: await world.mailedCode(email), user: { firstName: 'Grace' } };
  return world.call<{ apiKey: { raw: string } }>('cliCompleteSignup', input);
}
async function aSignIn({ email }: Person) {
  const login = await aCode(email);
  return () => logIn(email, ...login);
}
async function aChange({ session, email }: Person) {
  passSeconds(31);
  const newEmail = `new-${randomUUID()}@example.org`;
  await succeed(world.call('requestAccountCode', { purpose: 'change-email', newEmail }, { key: session }));
  const [code, newCode] = [await world.mailedCode(email), await world.mailedCode(newEmail)];
  return () => world.call('changeEmail', { newEmail, newCode, code }, { key: session });
}
const isKnown = async (key: string) => (await world.call('verifyApiKey', undefined, { key })).status;

test('sessions, keys, webhooks and codes end at once, and no sign-in revives the account', async () => {
  const person = await aPerson();
  const browser = await aBrowser(world, person);
  await makeWebhook(world, person);
  const code = await aDeletionCode(person);
  const [loginCode, loginToken] = await aCode(person.email);
  const answer = await send(person, code);
  expect([answer.status, answer.data]).toEqual([202, { status: 'deleting', email: person.email }]);
  expect(await isKnown(person.key)).toBe(401);
  expect(await refusal(world.call('getAccount', undefined, { key: person.session }))).toEqual([401, 'unauthenticated']);
  const renewal = await fetch(`${world.cloud.hostingUrl}/dashboardSession`, {
    method: 'POST',
    headers: browser.headers,
  });
  expect(renewal.status).toBe(401);
  expect(await refusal(logIn(person.email, loginCode, loginToken))).toEqual([404, 'OTP_NOT_FOUND']);
  passSeconds(31);
  expect(await refusal(requestCode(person.email))).toEqual([404, 'USER_NOT_FOUND']);
  expect(await refusal(send(person, code))).toEqual([401, 'unauthenticated']);
  expect((await world.database.collection(`organizations/${person.organizationId}/webhooks`).get()).size).toBe(0);
  const actions = await documentsWith(world, 'operatorActions', 'target', person.organizationId);
  expect(actions.map((document) => document.get('action') as unknown)).toEqual(['delete-account']);
});

test('a wrong name refuses the deletion and leaves the code as it is; other codes are refused', async () => {
  const person = await aPerson();
  const code = await aDeletionCode(person);
  for (const confirm of ['', "ada's workspace", `${NAME}!`]) {
    expect(await fullRefusal(send(person, code, confirm))).toEqual([
      400,
      'invalid-argument',
      { errors: [{ location: 'body.confirm', message: 'confirm must be the name of the organization.' }] },
    ]);
  }
  expect(await refusal(send(person, { ...code, code: wrong(code.code) }))).toEqual([400, 'OTP_INVALID']);
  expect(await refusal(world.call('deleteAccount', { ...code, confirm: NAME }, { key: person.key }))).toEqual([
    403,
    'permission-denied',
  ]);
  expect(await isKnown(person.key)).toBe(200);
  expect((await send(person, code, ` ${NAME} `)).status).toBe(202);
  passSeconds(31);
  const other = await aPerson();
  expect(await refusal(send(other, await aDeletionCode(other, 'export')))).toEqual([409, 'OTP_PURPOSE_MISMATCH']);
});

test('of many deletions at once one succeeds', async () => {
  const person = await aPerson();
  const code = await aDeletionCode(person);
  const answers = await atOnce(8, () => send(person, code));
  const { ok, ...others } = outcomes(answers);
  expect(ok).toBe(1);
  expect(Object.keys(others).filter((each) => !['unauthenticated', 'OTP_ALREADY_USED'].includes(each))).toEqual([]);
});

test('keys that are made while the account is deleted do not work', async () => {
  const person = await aPerson();
  const code = await aDeletionCode(person);
  const input = { name: 'x', scopes: ['presentations:read'] };
  const create = () => world.call<{ apiKey: { raw: string } }>('createApiKey', input, { key: person.session });
  const [deletion, ...created] = await Promise.all([send(person, code), ...Array.from({ length: 8 }, create)]);
  expect(deletion.status).toBe(202);
  const made = created.flatMap(({ body }) => (body.data ? [body.data.apiKey.raw] : []));
  expect(await Promise.all(made.map(isKnown))).toEqual(made.map(() => 401));
});

test('of a deletion and a sign-in or a change of the address at the same time, one succeeds', async () => {
  for (const round of each(['login', 'change'] as const)) {
    passSeconds(31);
    const person = await aPerson();
    const code = await aDeletionCode(person);
    const other = await (round === 'login' ? aSignIn(person) : aChange(person));
    const answers = [send(person, code), other()];
    const [deletion, rival] = await Promise.all(answers);
    expect(outcomes([deletion!, rival!])['ok']).toBe(1);
    const isDeleted = deletion!.status === 202;
    expect((await world.database.doc(`users/${person.userId}`).get()).exists).toBe(!isDeleted);
    expect(await isKnown(person.key)).toBe(isDeleted ? 401 : 200);
  }
});

test('the address signs up for another account at once, and the job does not touch it', async () => {
  const person = await aPerson();
  await deleteAccount(person);
  expect(await findIdentity(person.email)).toBeUndefined();
  passSeconds(31);
  const { apiKey } = await succeed(signUp(person.email));
  const userId = await findIdentity(person.email);
  expect(userId).not.toBe(person.userId);
  await finishAccountDeletions();
  expect([await isKnown(apiKey.raw), await findIdentity(person.email)]).toEqual([200, userId]);
});

test('while the identity of the account is left, a signup waits for the job', async () => {
  const person = await aPerson();
  await deleteAccount(person);
  // As when the identity provider was not reached.
  const { localId } = (await (
    await fetch(
      `http://${world.cloud.authHost}/identitytoolkit.googleapis.com/v1/projects/${world.cloud.project}/accounts`,
      {
        method: 'POST',
        headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
        body: JSON.stringify({ email: person.email, localId: person.userId, emailVerified: true }),
      },
    )
  ).json()) as { localId: string };
  expect(localId).toBe(person.userId);
  passSeconds(31);
  const { status, error } = await signUp(person.email);
  expect([status, error.code, error.nextAction]).toEqual([
    409,
    'USER_ALREADY_HAS_ORGANIZATION',
    'Sign up again in 5 minutes.',
  ]);
  await runJob('deleteAccounts');
  passSeconds(31);
  expect((await signUp(person.email)).status).toBe(200);
});

test('the job tells when it begins, closes the decks, the newest first, and tells when it is done', async () => {
  const person = await aPerson();
  const decks = [await world.aDeck(person), await world.aDeck(person)];
  await deleteAccount(person);
  expect(await Promise.all(decks.map((deck) => world.visit(world.viewUrl(deck))))).toEqual([200, 200]);
  const subjects = async () => (await world.mails(person.email)).map(({ subject }) => subject);
  await runJob('deleteAccounts');
  expect(await Promise.all(decks.map((deck) => world.visit(world.viewUrl(deck))))).toEqual([404, 404]);
  expect(await subjects()).toContain('Your account is being deleted');
  expect(await subjects()).not.toContain('Your account is deleted');
  await finishAccountDeletions();
  const told = (await subjects()).filter((subject) => /^Your account/.test(subject));
  expect(told.sort()).toEqual(['Your account is being deleted', 'Your account is deleted']);
  expect((await world.database.doc(`accountDeletions/${person.userId}`).get()).exists).toBe(false);
});
