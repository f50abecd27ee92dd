import { randomUUID } from 'node:crypto';
import { passSeconds } from '../../support/clock';
import { failing } from '../../support/mail-gateway';
import {
  world,
  gateway,
  owner,
  someone,
  many,
  aRetryKey,
  share,
  list,
  sends,
  refused,
  madeLinks,
  startMailing,
} from '../../support/mailing';
import { succeed } from '../../support/world';

startMailing('pro', 'Plans');

describe('the rate limits', () => {
  test('an organization may send 100 mails an hour, however many calls race, and a refused call sends nothing', async () => {
    const batches = Array.from({ length: 8 }, () => many(15));
    const answers = await Promise.all(batches.map((emails) => share(emails)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
    expect(gateway.calls.flatMap(({ mails }) => mails)).toHaveLength(90);
    expect(await madeLinks()).toHaveLength(90);
    expect((await succeed(list({ limit: '100' }))).sends).toHaveLength(90);
    expect((await succeed(share(many(10)))).summary.sent).toBe(10);
    const details = await refused(share(many(1)));
    expect(details).toMatchObject({ limit: 100, windowSeconds: 3600 });
    passSeconds(Number(details['retryInSeconds']));
    expect((await share(many(10))).status).toBe(200);
  });

  test('an organization on the free plan may send 50 mails a day', async () => {
    const organization = world.database.doc(`organizations/${owner.organizationId}`);
    await organization.update({ plan: 'free' });
    await succeed(share(many(19)));
    expect(await refused(share(many(2)))).toMatchObject({ limit: 20, windowSeconds: 86_400 });
    // Its first 7 days are over.
    await organization.update({ createdAt: new Date(Date.now() - 7 * 86_400_000) });
    passSeconds(86_400);
    for (const emails of [many(20), many(20), many(10)]) await succeed(share(emails));
    const details = await refused(share(many(1)));
    expect(details).toMatchObject({ limit: 50, windowSeconds: 86_400 });
    passSeconds(3601);
    await refused(share(many(1)));
    passSeconds(Number(details['retryInSeconds']) - 3600);
    expect((await share(many(1))).status).toBe(200);
  });

  test('one address gets 5 mails a day from one organization and 10 from all organizations, however many calls race', async () => {
    const email = someone();
    const senders = await Promise.all(Array.from({ length: 4 }, () => world.anOwner('pro')));
    const decks = await Promise.all(
      senders.flatMap((sender) => Array.from({ length: 5 }, async () => ({ sender, deck: await world.aDeck(sender) }))),
    );
    const calls = Array.from({ length: 100 }, (_, i) => decks[i % decks.length]!);
    const answers = await Promise.all(
      calls.map(({ sender, deck: { presentationId } }) =>
        world.call('sharePresentationViaEmail', { presentationId, emails: [email] }, { key: sender.key }),
      ),
    );
    const sent = calls.filter((_, i) => answers[i]!.status === 200);
    expect([sent.length, (await world.mails(email)).length]).toEqual([10, 10]);
    for (const sender of senders) expect(sent.filter((each) => each.sender === sender).length).toBeLessThanOrEqual(5);
    const refusals = answers.filter(({ status }) => status !== 200);
    expect(new Set(refusals.map(({ error }) => error.code))).toEqual(new Set(['rate-limited']));
    // The answer of a call with another address names the crowded one, and nothing is sent.
    const other = someone();
    expect(await refused(share([email, other]))).toMatchObject({ limit: 5, retryInSeconds: 86_400, emails: [email] });
    expect(await world.mails(other)).toEqual([]);
    passSeconds(86_400);
    expect((await share([email])).status).toBe(200);
    const records = await world.database.collection('mailRecipients').get();
    expect(JSON.stringify(records.docs.map((each) => [each.id, each.data()]))).not.toContain(email);
  });

  test('one address may get a deck three times a day, and also another deck', async () => {
    const email = someone();
    const answers = await Promise.all(Array.from({ length: 6 }, () => share([email])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await refused(share([email, someone()]))).toMatchObject({
      limit: 3,
      windowSeconds: 86_400,
      emails: [email],
    });
    expect(await world.mails(email)).toHaveLength(3);
    const other = await world.aDeck(owner);
    expect((await share([email], { presentationId: other.presentationId })).status).toBe(200);
    passSeconds(86_401);
    expect((await share([email])).status).toBe(200);
  });

  test('a provider that fails does not use up the rate limit', async () => {
    const email = someone();
    for (let i = 0; i < 4; i++) {
      gateway.plan(...failing(429, 'rate_limit_exceeded'));
      expect((await succeed(share([email]))).failed[0]!.code).toBe('provider-rate-limited');
    }
    expect((await succeed(share([email]))).summary.sent).toBe(1);
  });

  test('do not count replays or invalid addresses', async () => {
    const headers = aRetryKey();
    const emails = many(20);
    for (let i = 0; i < 6; i++) await succeed(share(emails, {}, headers));
    const calls = gateway.calls.length;
    for (let i = 0; i < 6; i++)
      expect((await succeed(share(['nobody', 'no one']))).summary).toMatchObject({ failed: 2 });
    expect(gateway.calls).toHaveLength(calls);
    for (let i = 0; i < 4; i++) await succeed(share(many(20)));
    await refused(share(many(1)));
  });

  test('also limit calls that send no mail, and their records are small', async () => {
    const mailWindow = world.database.doc(`mailWindows/${owner.organizationId}`);
    const noise = Array.from({ length: 145 }, () => ({ sendId: randomUUID(), at: new Date(), recipients: [] }));
    await mailWindow.set({ sends: noise, expiresAt: new Date() });
    gateway.plan(...failing(429, 'rate_limit_exceeded'), ...failing(429, 'rate_limit_exceeded'));
    const retried = [[someone()], {}, aRetryKey()] as const;
    for (let i = 0; i < 2; i++) {
      expect((await succeed(share(...retried))).failed[0]!.code).toBe('provider-rate-limited');
    }
    for (let i = 0; i < 3; i++) await succeed(share(['nobody']));
    expect(await refused(share(...retried))).toMatchObject({ limit: 150, windowSeconds: 3600 });
    expect(await sends()).toHaveLength(5);
    expect(await refused(share(['nobody']))).toMatchObject({ limit: 150, windowSeconds: 3600 });
    expect(await refused(share(many(1)))).toMatchObject({ limit: 150, windowSeconds: 3600 });
    passSeconds(3600);
    await succeed(share(many(1)));
    // This call, and the one that the provider did not accept.
    expect((await mailWindow.get()).get('sends')).toHaveLength(2);
  });
});
