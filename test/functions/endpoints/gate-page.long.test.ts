import { labelOfToken } from '../../../functions/src/values/deck-origins';
import { atOnce } from '../../support/answers';
import { aClient, pageAfter, sendAsk } from '../../support/ask';
import { passSeconds } from '../../support/clock';
import { runJob } from '../../support/jobs';
import { call, deck, owner, someone, startMailing } from '../../support/mailing';
import { succeed, world } from '../../support/world';

/**
 * The waits of the gate of a link and of the page on which people ask for access, and what the owner of a link is told
 * after very many wrong passcodes.
 */

startMailing('pro', 'Secret title');

const set = (rules: object) => succeed(call('updateShareToken', { tokenId: deck.tokenId, ...rules }));
const send = async (fields: object) => {
  const { presentationId, token } = deck;
  const answer = await fetch(`${world.cloud.baseUrl}/openSharePage`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ presentationId, token, ...fields }),
    headers: { 'x-forwarded-for': aClient() },
  });
  const location = answer.headers.get('location')!;
  return { gate: new URL(location).searchParams.get('gate') ?? '', text: await (await fetch(location)).text() };
};

test('the gate takes an empty code as none, and tells when the next code can be mailed', async () => {
  const [email, other] = [someone(), someone()];
  await set({ allowedEmails: [email] });
  const first = await send({ email });
  expect(first.text).toContain('Send a new code');
  const empty = await send({ gate: first.gate, code: '  ' });
  expect([empty.text.includes('This code is wrong'), (await world.mails(email)).length]).toEqual([false, 2]);
  const third = await send({ gate: empty.gate, code: '' });
  const wait = 'You can have a new code in 60 minutes.';
  expect([third.text.includes(wait), third.text.includes('Send a new code')]).toEqual([true, false]);
  // An address that the link does not admit waits for as long.
  for (let i = 0; i < 2; i++) await send({ email: other });
  expect((await send({ email: other })).text).toContain(wait);
  expect(await world.mails(other)).toEqual([]);
});

test('above 1,000 wrong passcodes in a day, a job mails the owner once a day', async () => {
  await set({ passcode: 'orchid-47' });
  const guard = world.database.doc(`presentations/${deck.presentationId}/linkGuards/${deck.tokenId}`);
  const wrong = (count: number) => Array.from({ length: count }, (_, i) => new Date(Date.now() - 80_000_000 + i));
  const expiresAt = new Date(Date.now() + 86_400_000);
  const guess = () => {
    const { presentationId, token } = deck;
    const headers = { 'x-forwarded-for': aClient() };
    return world.call('openShareLink', { presentationId, token, passcode: 'orchid-48' }, { headers });
  };
  const mailed = async () => {
    await runJob('notifyOwners');
    return (await world.mails(owner.email)).length;
  };
  await guard.set({ wrongAt: wrong(999), isDue: false, warnedAt: null, expiresAt });
  expect([(await guess()).status, await mailed()]).toEqual([403, 0]);
  // A right passcode is none of them.
  const { presentationId, token } = deck;
  await succeed(world.call('openShareLink', { presentationId, token, passcode: 'orchid-47' }));
  expect(await mailed()).toBe(0);
  await guess();
  expect(await world.mails(owner.email)).toEqual([]);
  expect([await mailed(), await mailed()]).toEqual([1, 1]);
  const { text } = (await world.mails(owner.email))[0]!;
  for (const part of ['More than 1,000 wrong passcodes', 'Secret title', `/decks/${presentationId}/links`])
    expect(text).toContain(part);
  await guess();
  expect(await mailed()).toBe(1);
  passSeconds(86_400);
  await guard.update({ wrongAt: wrong(1000) });
  await guess();
  expect(await mailed()).toBe(2);
});

test('the code for asking is mailed 3 times an hour, 10 times an hour and client, and never to an address that stopped all mails', async () => {
  const [asker, label] = [someone(), labelOfToken(deck.tokenId)];
  const ask = (email: string, client?: string) => sendAsk(world, { label, email }, client);
  expect(await pageAfter(await ask(asker))).toContain('Send a new code');
  await ask(asker);
  const full = await pageAfter(await ask(asker));
  expect(full).toContain('You can have a new code in 60 minutes.');
  expect(full).not.toContain('Send a new code');
  await ask(asker);
  expect((await world.mails(asker)).length).toBe(3);
  const stop = /https?:\/\/\S+\/mail\/[\w-]+/.exec((await world.mails(asker))[0]!.text)![0];
  expect(await (await fetch(stop)).text()).not.toContain('Report this email');
  await fetch(`${stop}?choice=all`, { method: 'POST' });
  passSeconds(3601);
  expect(await pageAfter(await ask(asker))).toContain('A code is on its way');
  expect((await world.mails(asker)).length).toBe(3);
  const client = aClient();
  const statuses = await atOnce(11, async (i) => (await ask(`${i}-${asker}`, client)).answer.status);
  expect(statuses.filter((status) => status === 303)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
});
