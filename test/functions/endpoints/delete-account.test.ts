import { randomUUID } from 'node:crypto';
import { Timestamp } from 'firebase-admin/firestore';
import { findIdentity } from '../../../functions/src/identity/provider';
import { endAccount, finishAccountDeletions } from '../../support/account-deletion';
import type { Organization } from '../../../functions/src/records/organizations';
import { setTakedown } from '../../../functions/src/records/presentations';
import { transact } from '../../../functions/src/records/transact';
import { atOnce, fullRefusal, outcomes, refusal } from '../../support/answers';
import { aBrowser } from '../../support/browser-session';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { runJob } from '../../support/jobs';
import { behindMailGateway, failing } from '../../support/mail-gateway';
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
    const errors = [{ location: 'body.confirm', message: 'confirm must be the name of the organization.' }];
    expect(await fullRefusal(send(person, code, confirm))).toEqual([400, 'invalid-argument', { errors }]);
  }
  expect(await refusal(send(person, { ...code, code: wrong(code.code) }))).toEqual([400, 'OTP_INVALID']);
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
  const create = (key = person.session) => world.call<{ apiKey: { raw: string } }>('createApiKey', input, { key });
  const [deletion, ...created] = await Promise.all([send(person, code), ...Array.from({ length: 8 }, () => create())]);
  expect(deletion.status).toBe(202);
  const made = created.flatMap(({ body }) => (body.data ? [body.data.apiKey.raw] : []));
  expect(await Promise.all(made.map(isKnown))).toEqual(made.map(() => 401));
  // As of a call whose session was read before the deletion.
  const key = await world.aDashboardSession(person);
  const calls = [
    create(key),
    world.call('updateProfile', { firstName: 'Grace' }, { key }),
    world.call('requestAccountCode', { purpose: 'delete' }, { key }),
    world.call('exportAccount', { code: '000000' }, { key }),
  ];
  for (const answer of each(calls)) expect(await refusal(answer)).toEqual([401, 'unauthenticated']);
});

test('of a deletion and a sign-in or a change of the address at the same time, one succeeds', async () => {
  for (const aRival of [aSignIn, aChange]) {
    passSeconds(31);
    const person = await aPerson();
    const code = await aDeletionCode(person);
    const rival = await aRival(person);
    const answers = await Promise.all([send(person, code), rival()]);
    expect(outcomes(answers)['ok']).toBe(1);
    const isDeleted = answers[0].status === 202;
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
  // What the account has at others is its own.
  const other = await world.aPublisher();
  const deck = await world.aDeck(other);
  const { presentationId, tokenId } = deck;
  await runJob('deleteAccounts');
  await succeed(world.call('inviteCollaborator', { presentationId, email: person.email }, other));
  await succeed(world.call('updateShareToken', { presentationId, tokenId, allowedEmails: [person.email] }, other));
  await finishAccountDeletions();
  expect([await isKnown(apiKey.raw), await findIdentity(person.email)]).toEqual([200, userId]);
  expect(await succeed(world.call('listCollaborators', { presentationId }, other))).toMatchObject({
    collaborators: [{ email: person.email, status: 'active' }],
  });
  const link = world.call('getShareToken', undefined, { key: other.key, path: `/${presentationId}/${tokenId}` });
  expect(await succeed(link)).toMatchObject({ allowedEmails: [person.email] });
});

test('an address that a change took back and another account has is not part of the deletion', async () => {
  const person = await aPerson();
  await succeed((await aChange(person))());
  const [mail] = (await world.mails(person.email)).filter(({ subject }) => subject === 'Your address was changed');
  const to = / to (\S+@\S+?)\.?\s/.exec(mail!.text)![1]!;
  await fetch(`${world.cloud.hostingUrl}/codes/${/\/codes\/([\w-]+)/.exec(mail!.text)![1]!}`, { method: 'POST' });
  passSeconds(31);
  await succeed(signUp(to));
  const owner = await world.aPublisher();
  const { presentationId } = await world.aDeck(owner);
  await succeed(world.call('inviteCollaborator', { presentationId, email: to }, owner));
  await endAccount(person);
  await finishAccountDeletions();
  const list = world.call('listCollaborators', { presentationId }, owner);
  expect(await succeed(list)).toMatchObject({ collaborators: [{ email: to, status: 'active' }] });
});

test('while the identity of the account is left, a signup waits for the job', async () => {
  const person = await aPerson();
  await deleteAccount(person);
  // As when the identity provider was not reached.
  const path = `identitytoolkit.googleapis.com/v1/projects/${world.cloud.project}/accounts`;
  const stored = await fetch(`http://${world.cloud.authHost}/${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
    body: JSON.stringify({ email: person.email, localId: person.userId, emailVerified: true }),
  });
  expect(await stored.json()).toMatchObject({ localId: person.userId });
  passSeconds(31);
  const waiting = { code: 'USER_ALREADY_HAS_ORGANIZATION', nextAction: 'Sign up again in 5 minutes.' };
  expect((await signUp(person.email)).error).toMatchObject(waiting);
  await runJob('deleteAccounts');
  passSeconds(31);
  expect((await signUp(person.email)).status).toBe(200);
});

test('the job closes the decks, also while no mail is accepted, and tells when it has begun and when it is done', async () => {
  const person = await aPerson();
  const decks = [await world.aDeck(person), await world.aDeck(person)];
  // What earlier tests left, whose mails would get the planned answers.
  await runJob('deleteAccounts');
  await deleteAccount(person);
  const look = () => Promise.all(decks.map((deck) => world.visit(world.viewUrl(deck))));
  const subjects = async () => (await world.mails(person.email)).map(({ subject }) => subject);
  expect(await look()).toEqual([200, 200]);
  await behindMailGateway(async (gateway) => {
    gateway.plan(...failing(500, 'internal_server_error'));
    await runJob('deleteAccounts');
  });
  expect(await look()).toEqual([404, 404]);
  expect(await subjects()).not.toContain('Your account is being deleted');
  await runJob('deleteAccounts');
  expect(await subjects()).toContain('Your account is being deleted');
  expect(await subjects()).not.toContain('Your account is deleted');
  await finishAccountDeletions();
  const told = (await subjects()).filter((subject) => /^Your account/.test(subject));
  expect(told.sort()).toEqual(['Your account is being deleted', 'Your account is deleted']);
  expect((await world.database.doc(`accountDeletions/${person.userId}`).get()).exists).toBe(false);
});

test('before the job has closed a deck, nobody learns whose it was, and nobody is mailed about it', async () => {
  const owner = await world.aPublisher();
  const { presentationId, tokenId } = await world.aDeck(owner);
  const { slug } = await world.aListing(owner, {}, { presentationId });
  const email = `invited-${randomUUID()}@example.org`;
  await succeed(world.call('inviteCollaborator', { presentationId, email }, owner));
  const invitation = /invitation=([\w-]+)/.exec((await world.mails(email))[0]!.text)![1]!;
  const guard = world.database.doc(`presentations/${presentationId}/linkGuards/${tokenId}`);
  await guard.set({ wrongAt: [], isDue: true, warnedAt: null, expiresAt: new Date() });
  await endAccount(owner);
  const detail = world.call('getMarketplaceListing', undefined, { path: `/${slug}` });
  expect(await refusal(detail)).toEqual([410, 'expired']);
  const named = world.call('getInvitation', undefined, { path: `/${invitation}` });
  expect(await refusal(named)).toEqual([404, 'not-found']);
  await runJob('notifyOwners');
  expect([(await guard.get()).get('isDue'), await world.mails(owner.email)]).toEqual([false, []]);
});

test('a run that is cut off leaves the rest to the next one, and a deck of a commit in flight is closed, too', async () => {
  const person = await aPerson();
  const decks = [await world.aDeck(person), await world.aDeck(person)];
  await deleteAccount(person);
  // The record of a deck is broken: each run stops at it.
  const broken = world.database.doc(`presentations/${decks[0]!.presentationId}`);
  const { title } = (await broken.get()).data() as { title: string };
  await broken.update({ title: 7 });
  await runJob('deleteAccounts');
  const organization = world.database.doc(`organizations/${person.organizationId}`);
  expect([(await broken.get()).exists, (await organization.get()).exists]).toEqual([true, true]);
  expect(await world.visit(world.viewUrl(decks[1]!))).toBe(404);
  await broken.update({ title });
  await runJob('deleteAccounts');
  expect((await broken.get()).exists).toBe(false);
  // As a commit writes it that found the account before.
  const late = await world.aDeck(person);
  await finishAccountDeletions();
  expect(await world.visit(world.viewUrl(late))).toBe(404);
  expect((await organization.get()).exists).toBe(false);
  expect((await world.database.doc(`accountDeletions/${person.userId}`).get()).exists).toBe(false);
  const told = (await world.mails(person.email)).filter(({ subject }) => subject === 'Your account is deleted');
  expect(told).toHaveLength(1);
});

describe('a new account of the address', () => {
  const DAY = 86_400;
  /** An account with a mail that its recipient stopped and reported, a listing, and a deck that was taken down. */
  async function aLimitedAccount<A extends Account>(person: A) {
    const { presentationId } = await world.aDeck(person);
    const recipient = `recipient-${randomUUID()}@example.org`;
    await share(person.key, presentationId, recipient);
    const [mail] = await world.mails(recipient);
    const link = `${world.cloud.hostingUrl}/mail/${/\/mail\/([\w-]+)/.exec(mail!.text)![1]!}`;
    for (const query of ['?choice=report&reason=spam', '']) await fetch(link + query, { method: 'POST' });
    const takedown = { at: new Date(), reason: 'Spam.' };
    await transact((tx) => Promise.resolve(setTakedown(tx, presentationId, takedown)));
    return { person, recipient, takedown };
  }
  const share = async (key: string, presentationId: string, email: string) => {
    const input = { presentationId, emails: [email] };
    type Shared = { failed: { code: string }[] };
    const { failed } = await succeed(world.call<Shared>('sharePresentationViaEmail', input, { key }));
    return failed.map(({ code }) => code);
  };
  async function aNewAccount(email: string): Promise<Account> {
    const { apiKey } = await succeed(signUp(email));
    const [user] = await documentsWith(world, 'users', 'email', email);
    const { userId, organizationId } = user!.data() as { userId: string; organizationId: string };
    return { email, key: apiKey.raw, keyId: '', userId, organizationId };
  }
  /** The new account, and what the service knows of its mails. */
  async function again({ email }: Account, recipient: string) {
    const account = await aNewAccount(email);
    const { organizationId } = account;
    const { presentationId } = await world.aDeck(account);
    const codes = await share(account.key, presentationId, recipient);
    const usage = await succeed(world.call<{ mailsToday: { used: number } }>('getUsage', undefined, account));
    const { former } = (await world.database.doc(`organizations/${organizationId}`).get()).data() as Organization;
    const reports = await world.database.doc(`mailReports/${organizationId}`).get();
    const counts = reports.get('counts') as object | undefined;
    return { account, codes, mailsToday: usage.mailsToday.used, former, reports: counts };
  }

  test('takes over stops, reports, counts of mails and take-downs within 90 days, before the job has run, too', async () => {
    const { person, recipient, takedown } = await aLimitedAccount(await aPerson());
    await deleteAccount(person);
    passSeconds(31);
    const taken = await again(person, recipient);
    expect(taken).toMatchObject({ codes: ['recipient-suppressed'], mailsToday: 1, reports: { spam: 1 } });
    expect(taken.former).toEqual({ organizationIds: [person.organizationId], takedowns: [] });
    await finishAccountDeletions();
    const [user] = await documentsWith(world, 'users', 'email', person.email);
    const organization = await world.database.doc(`organizations/${user!.get('organizationId')}`).get();
    const former = { what: 'deck', at: Timestamp.fromDate(takedown.at), reason: 'Spam.' };
    expect(organization.get('former.takedowns')).toEqual([former]);
  });

  test('takes over what stayed of all accounts of its mailbox, and counts nothing twice', async () => {
    const first = await aPerson();
    const second = await aNewAccount(first.email.replace('@', '+b@'));
    const { recipient } = await aLimitedAccount(first);
    for (const person of [first, (await aLimitedAccount(second)).person]) await endAccount(person);
    const organizationIds = [first.organizationId, second.organizationId];
    for (let i = 0; i < 2; i++) {
      await runJob('deleteAccounts');
      passSeconds(31);
      const { account, ...taken } = await again(first, recipient);
      const codes = ['recipient-suppressed'];
      expect(taken).toMatchObject({ codes, mailsToday: 2, reports: { spam: 2 }, former: { organizationIds } });
      await endAccount(account);
      organizationIds.push(account.organizationId);
    }
  });

  test('also after the job has run, until the 90 days end', async () => {
    const { person, recipient } = await aLimitedAccount(await aPerson());
    const { person: late, recipient: theirs } = await aLimitedAccount(await aPerson());
    await deleteAccount(person);
    await deleteAccount(late);
    await finishAccountDeletions();
    passSeconds(90 * DAY - 3600);
    const taken = await again(person, recipient);
    expect([taken.codes, taken.former?.takedowns.length]).toEqual([['recipient-suppressed'], 1]);
    passSeconds(3600);
    expect(await again(late, theirs)).toMatchObject({ codes: [], former: null, reports: undefined });
  });
});
