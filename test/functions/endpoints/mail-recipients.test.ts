import { randomUUID } from 'node:crypto';
import { listMailReports, listOpenMailCases } from '../../../functions/src/records/mail-reports';
import { atOnce, outcomes as count } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { failing } from '../../support/mail-gateway';
import {
  gateway,
  owner,
  deck,
  someone,
  many,
  aRetryKey,
  aSender,
  call,
  share,
  list,
  sends,
  refused,
  stored,
  storeMails,
  madeLinks,
  startMailing,
} from '../../support/mailing';
import { storeDocuments } from '../../support/stored';
import { sha256, succeed, type Account, type Deck, world } from '../../support/world';

/** What protects the recipients of mails: the links that stop mails and report them, and the rate limits. */

startMailing('pro', 'Plans');

describe('the links of a mail', () => {
  const tokenOf = (text: string) => /\/mail\/([\w-]{86})/.exec(text)![1]!;
  /** The token of a mail that the owner has just sent to the address. */
  const aMail = async (email: string) => {
    await succeed(share([email]));
    return tokenOf((await world.mails(email))[0]!.text);
  };
  const visit = async (token: string, query = '', init: RequestInit = {}) => {
    const response = await fetch(`${world.cloud.hostingUrl}/mail/${token}${query}`, { redirect: 'error', ...init });
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
  };
  const post = (token: string, query = '') => visit(token, query, { method: 'POST' });
  const outcome = async (email: string, { key, presentationId } = { ...owner, ...deck }) => {
    const { sent, failed } = await succeed(share([email], { presentationId }, {}, key));
    return failed[0]?.code ?? (sent.length === 1 && 'sent');
  };
  const outcomes = async (email: string, other: Account & Deck) => [await outcome(email), await outcome(email, other)];
  const recipientOf = (token: string) =>
    world.database.doc(`mailRecipients/${Buffer.from(token, 'base64url').subarray(0, 16).toString('hex')}`);
  const invite = (email: string) => call<{ collaborator: object }>('inviteCollaborator', { email });

  test('name the sender, say why the mail came, and are in the headers for one click', async () => {
    const email = someone();
    const token = await aMail(email);
    const invited = someone();
    await succeed(invite(invited));
    for (const to of [email, invited]) {
      const [mail] = await world.mails(to);
      const page = `${world.cloud.hostingUrl}/mail/${tokenOf(mail!.text)}`;
      const headers = { 'List-Unsubscribe': `<${page}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
      expect(mail).toMatchObject({ headers });
      for (const content of [mail!.text, mail!.html]) {
        for (const part of ["Stop emails from Ada's workspace", owner.email, 'You received this email because']) {
          expect(content).toContain(part);
        }
        for (const query of ['', '?choice=all', '?choice=report']) expect(content).toContain(page + query);
      }
    }
    expect(await world.mails(owner.email)).toEqual([]);
    const page = await visit(token);
    expect(page).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store', 'x-robots-tag': 'noindex' } });
    expect(page.text).toContain("Ada's workspace");
    expect(page.text).not.toContain('<script');
  });

  test('a POST without anything else stops the mails of that organization, and a GET changes nothing', async () => {
    const email = someone();
    const token = await aMail(email);
    const other = await aSender();
    for (const query of ['?choice=resume', '', '?choice=all', '?choice=report&reason=spam']) {
      for (const method of ['GET', 'HEAD']) expect((await visit(token, query, { method })).status).toBe(200);
    }
    expect(await outcome(email)).toBe('sent');
    // As mail programs send it: a body that the call does not take, and no redirect.
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    for (let i = 0; i < 2; i++) {
      const click = await visit(token, '', { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' });
      expect([click.status, click.text.includes('no more emails from this sender')]).toEqual([200, true]);
    }
    const before = (await stored()).length;
    expect(await outcomes(email, other)).toEqual(['recipient-suppressed', 'sent']);
    expect(await stored()).toHaveLength(before);
    expect((await post(token, '?choice=all')).text).toContain('You will get no more emails that you did not ask for');
    expect(await outcomes(email, other)).toEqual(['recipient-suppressed', 'recipient-suppressed']);
    const [last] = await sends();
    expect(last).toMatchObject({ email, outcome: 'failed', code: 'recipient-suppressed', tokenId: null });
    expect(await world.mails(email)).toHaveLength(3);
    expect((await post(token, '?choice=resume')).text).toContain('You will get emails again');
    expect(await outcomes(email, other)).toEqual(['sent', 'sent']);
    const records = await world.database.collection('mailRecipients').get();
    expect(JSON.stringify(records.docs.map((each) => [each.id, each.data()]))).not.toContain(email);
  });

  test('a sender who has the link of a mail cannot take back what its recipient stopped in the mail of another', async () => {
    const email = someone();
    const other = await aSender();
    const token = await aMail(email);
    expect(await outcome(email, other)).toBe('sent');
    const others = tokenOf((await world.mails(email)).find(({ subject }) => subject.startsWith(other.email))!.text);
    expect((await post(others, '?choice=all')).text).toContain('within 10 minutes');
    await post(others);
    passSeconds(600);
    const page = await post(token, '?choice=resume');
    expect(page.text).toContain('Emails stay stopped');
    expect(page.text).not.toContain('choice=resume');
    expect(await outcomes(email, other)).toEqual(['recipient-suppressed', 'recipient-suppressed']);
    await recipientOf(token).update({ stoppedAllAt: null });
    expect((await post(token, '?choice=resume')).text).toContain('You will get emails again');
    expect(await outcomes(email, other)).toEqual(['sent', 'recipient-suppressed']);
  });

  test('limits and stops hold for a mailbox, however its address is written, and mails go to the address as written', async () => {
    const [name, other] = [randomUUID(), await aSender()];
    const written = (part: string) => `friend-${name}${part}@example.org`;
    const [three, fourth] = [['+1', '+2', '+3'].map(written), written('+4')];
    expect(await refused(share([...three, fourth]))).toMatchObject({ limit: 3, emails: [...three, fourth] });
    const { sent } = await succeed(share(three));
    expect(sent.map(({ email }) => email)).toEqual(three);
    expect(gateway.calls.at(-1)!.mails.map(({ to }) => to)).toEqual(three);
    expect(await refused(share([fourth]))).toMatchObject({ limit: 3, emails: [fourth] });
    await refused(share(three, { presentationId: (await world.aDeck(owner)).presentationId }));
    await post(tokenOf((await world.mails(three[0]!))[0]!.text), '?choice=all');
    for (const part of ['+5', '']) expect(await outcome(written(part), other)).toBe('recipient-suppressed');

    const dotted = `f.r.${name}+b@googlemail.com`;
    await post(await aMail(dotted));
    expect(await outcome(dotted.replace('f.r.', 'fr').replace('+b@googlemail', '@gmail'))).toBe('recipient-suppressed');
  });

  test('an address that stopped its mails fails alone, and costs the sender nothing of its rates', async () => {
    const [stopped, good] = [someone(), someone()];
    await post(await aMail(stopped));
    await world.database.doc(`organizations/${owner.organizationId}`).update({ plan: 'free' });
    const { sent, failed } = await succeed(share([stopped, 'nobody', good]));
    expect(sent.map(({ email }) => email)).toEqual([good]);
    const message = 'The recipient has unsubscribed, or emails to the address bounced.';
    expect(failed).toEqual([
      { email: stopped, code: 'recipient-suppressed', message },
      expect.objectContaining({ email: 'nobody', code: 'invalid-email' }),
    ]);
    // 2 of 20 mails of the day are sent. A call needs room for all of its addresses and uses it for the mailed ones.
    expect(await refused(share([stopped, ...many(18)]))).toMatchObject({ limit: 20 });
    expect((await succeed(share([stopped, ...many(17)]))).summary).toEqual({ total: 18, sent: 17, failed: 1 });
    expect((await succeed(share([stopped]))).summary).toEqual({ total: 1, sent: 0, failed: 1 });
    await succeed(share([someone()]));
    // Without room, the answers for an address that stopped its mails and for another one are alike.
    for (const email of [stopped, someone()]) {
      expect(await refused(share([email]))).toMatchObject({ limit: 20 });
      expect(await refused(invite(email))).toMatchObject({ limit: 20 });
    }
  });

  test('a mailing that is resumed after an outage mails nobody who stopped such mails meanwhile', async () => {
    const [stopped, good] = [someone(), someone()];
    const token = await aMail(stopped);
    gateway.plan(...failing(503, 'unavailable'));
    const again = (key: string) => share([stopped, good], {}, { 'idempotency-key': key });
    const key = randomUUID();
    expect((await succeed(again(key))).summary).toMatchObject({ failed: 2 });
    await post(token);
    const calls = gateway.calls.length;
    const nextAction = 'Send again with another Idempotency-Key.';
    expect(await again(key)).toMatchObject({ status: 409, error: { code: 'conflict', nextAction } });
    expect(gateway.calls).toHaveLength(calls);
    const resent = { sent: [{ email: good }], failed: [{ code: 'recipient-suppressed' }] };
    expect(await succeed(again(randomUUID()))).toMatchObject(resent);
    for (const email of [stopped, good]) expect(await world.mails(email)).toHaveLength(1);
  });

  test('an invitation of an address that stopped its mails makes the row and sends nothing', async () => {
    const email = someone();
    await post(await aMail(email), '?choice=all');
    const first = await succeed(invite(email));
    expect(first.collaborator).toMatchObject({ email, status: 'pending', revokedAt: null });
    passSeconds(61);
    expect(await succeed(invite(email))).toEqual(first);
    expect(gateway.calls).toHaveLength(1);
  });

  test('the token reveals no address, cannot be guessed or changed, and does not expire', async () => {
    const email = someone();
    const token = await aMail(email);
    const bytes = Buffer.from(token, 'base64url');
    for (const part of [email, sha256(email), owner.email]) {
      expect(bytes.toString('latin1')).not.toContain(part);
      expect(bytes.toString('hex')).not.toContain(part.slice(0, 16));
    }
    const page = await visit(token);
    expect(page.text).not.toContain(email);
    const changed = [...bytes].map((byte, i) => Buffer.from(bytes.with(i, byte ^ 1)).toString('base64url'));
    const cost = await world.costOf(async () => {
      for (const wrong of [...changed, 'x', `${token}x`, `${token}/x`, '', '%2f', bytes.toString('hex')]) {
        for (const method of ['GET', 'POST']) {
          const response = await fetch(`${world.cloud.baseUrl}/mailPage/${wrong}`, { method });
          expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('is not valid')]);
        }
      }
    });
    expect(cost.roundTrips).toBe(0);
    expect((await post(token, '?choice=nothing')).status).toBe(400);
    expect(await outcome(email)).toBe('sent');
    passSeconds(400 * 86_400);
    expect((await post(token)).status).toBe(200);
    jest.useRealTimers();
    expect(await outcome(email)).toBe('recipient-suppressed');
  });

  test('reports reach the operator: one for each recipient and organization, and a full sample drops no count', async () => {
    const email = someone();
    const token = await aMail(email);
    const report = (of: string, reason: string) => post(of, `?choice=report&reason=${reason}`);
    const answers = await Promise.all(['spam', 'spam', 'phishing'].map((reason) => report(token, reason)));
    const text = expect.stringContaining('Your report has been sent') as string;
    expect(answers).toMatchObject(Array(3).fill({ status: 200, text }));
    const { organizationId } = owner;
    const { presentationId } = deck;
    const reports = await listMailReports(organizationId);
    expect(reports).toMatchObject([{ presentationId }]);
    // A report does not stop the mails.
    expect(await outcome(email)).toBe('sent');

    // Ten reports for the reason `other` in each place.
    const of = `mailReports/${organizationId}`;
    const junk = { reason: 'other', presentationId, reportedAt: new Date(0) };
    const place = { counts: { other: 10 }, reporters: [], reports: [junk, junk] };
    const places = Array.from({ length: 20 }, (_, i) => [`${of}/reportedMails/place-${i}`, place] as const);
    await storeDocuments(world.database, places);
    await world.database.doc(of).update({ 'counts.other': 200, lastReportedAt: new Date(0) });
    await report(await aMail(someone()), 'impersonation');
    const cases = await listOpenMailCases(100);
    const { counts, lastReportedAt } = cases.find((each) => each.organizationId === organizationId)!;
    expect(counts).toEqual({ [reports[0]!.reason]: 1, other: 200, impersonation: 1 });
    expect(lastReportedAt.getTime()).toBeGreaterThan(0);
    const listed = await listMailReports(organizationId);
    expect([listed.length, listed.some(({ reason }) => reason === 'impersonation')]).toEqual([41, true]);
  });

  test('a change of the service secret forgets no stop, and the links of earlier mails still work', async () => {
    const [stopped, other, third] = [someone(), someone(), someone()];
    await post(await aMail(stopped));
    const [token, thirdToken] = [await aMail(other), await aMail(third)];
    const before = process.env['SERVICE_SECRET']!;
    const next = randomUUID();
    const use = (secrets: string) => (process.env['SERVICE_SECRET'] = secrets);
    try {
      // One function is deployed with the new secret in front of the old one. The others still have the old one.
      for (const secrets of [`${next}\n${before}`, before, `${next}\n${before}`, before]) {
        use(secrets);
        expect(await outcome(stopped)).toBe('recipient-suppressed');
        expect((await post(token, '?choice=resume')).status).toBe(200);
      }
      expect((await world.database.doc('recipientKeys/current').get()).get('sealed')).toHaveLength(2);

      // Later the old secret is removed.
      use(next);
      expect(await outcome(stopped)).toBe('recipient-suppressed');
      expect(await outcome(other)).toBe('sent');
      expect((await post(token)).status).toBe(200);
      expect(await outcome(other)).toBe('recipient-suppressed');

      // Without a secret that opens the key, no mail is sent and no other key is made.
      use(randomUUID());
      expect((await post(thirdToken)).status).toBe(500);
      expect((await share([third])).status).toBe(500);
      use(`${randomUUID()}\n${next}`);
      expect((await post(thirdToken)).status).toBe(200);
      expect(await outcome(third)).toBe('recipient-suppressed');
    } finally {
      process.env['SERVICE_SECRET'] = before;
    }
  });

  test('a stop of very many senders becomes a stop of all, so that the record stays small', async () => {
    const email = someone();
    const token = await aMail(email);
    await post(token);
    const record = recipientOf(token);
    await record.update({ stopped: many(500).map((organizationId) => ({ organizationId, at: new Date() })) });
    expect((await post(token)).status).toBe(200);
    const stoppedAllAt = expect.anything() as unknown;
    expect((await record.get()).data()).toMatchObject({ stopped: { length: 500 }, stoppedAllAt });
    expect(await outcome(email)).toBe('recipient-suppressed');
  });
});

describe('the rate limits', () => {
  test('an organization may send 100 mails an hour, however many calls race, and a refused call sends nothing', async () => {
    await storeMails(60);
    expect(count(await atOnce(4, () => share(many(15))))).toEqual({ ok: 2, 'rate-limited': 2 });
    expect(gateway.calls.flatMap(({ mails }) => mails)).toHaveLength(30);
    expect(await madeLinks()).toHaveLength(30);
    expect((await succeed(list({ limit: '100' }))).sends).toHaveLength(30);
    expect((await succeed(share(many(10)))).summary.sent).toBe(10);
    const { retryInSeconds, ...rate } = await refused(share(many(1)));
    expect(rate).toEqual({ limit: 100, windowSeconds: 3600 });
    passSeconds(Number(retryInSeconds));
    await succeed(share(many(10)));
  });

  test('one address gets 5 mails a day from one organization and 10 from all organizations, however many calls race', async () => {
    const email = someone();
    const senders = await atOnce(3, () => world.anOwner('pro'));
    const decks = await atOnce(6, (i) => world.aDeck(senders[i % 3]!));
    const answers = await atOnce(18, (i) => {
      const { presentationId } = decks[i % 6]!;
      return share([email], { presentationId }, {}, senders[i % 3]!.key);
    });
    expect(count(answers)).toEqual({ ok: 10, 'rate-limited': 8 });
    expect(await world.mails(email)).toHaveLength(10);
    const bySender = senders.map((_, sender) => answers.filter(({ status }, i) => i % 3 === sender && status === 200));
    expect(Math.max(...bySender.map(({ length }) => length))).toBeLessThanOrEqual(5);
    // The answer of a call with another address names the crowded one, and nothing is sent.
    const other = someone();
    expect(await refused(share([email, other]))).toMatchObject({ limit: 5, retryInSeconds: 86_400, emails: [email] });
    expect(await world.mails(other)).toEqual([]);
    passSeconds(86_400);
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
    await storeMails(60);
    const retried = [many(20), {}, aRetryKey()] as const;
    for (let i = 0; i < 3; i++) await succeed(share(...retried));
    const calls = gateway.calls.length;
    for (let i = 0; i < 2; i++) expect((await succeed(share(['nobody', 'no one']))).summary.failed).toBe(2);
    expect(gateway.calls).toHaveLength(calls);
    await succeed(share(many(20)));
    await refused(share(many(1)));
  });

  test('also limit calls that send no mail, and their records are small', async () => {
    const mailWindow = world.database.doc(`mailWindows/${owner.organizationId}`);
    const noise = Array.from({ length: 145 }, () => ({ sendId: randomUUID(), at: new Date(), recipients: [] }));
    await mailWindow.set({ sends: noise, expiresAt: new Date() });
    gateway.plan(...failing(429, 'rate_limit_exceeded'), ...failing(429, 'rate_limit_exceeded'));
    const retried = [[someone()], {}, aRetryKey()] as const;
    const outage = async () => (await succeed(share(...retried))).failed[0]!.code;
    expect([await outage(), await outage()]).toEqual(['provider-rate-limited', 'provider-rate-limited']);
    for (let i = 0; i < 3; i++) await succeed(share(['nobody']));
    expect(await refused(share(...retried))).toMatchObject({ limit: 150, windowSeconds: 3600 });
    expect(await sends()).toHaveLength(5);
    for (const emails of [['nobody'], many(1)]) expect(await refused(share(emails))).toMatchObject({ limit: 150 });
    passSeconds(3600);
    await succeed(share(many(1)));
    // This call, and the one that the provider did not accept.
    expect((await mailWindow.get()).get('sends')).toHaveLength(2);
  });
});
