import { randomUUID } from 'node:crypto';
import { collaboratorRef } from '../../../functions/src/records/collaborators';
import { recipientKey } from '../../../functions/src/records/recipient-key';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { invite, push, recordOf, rowOf, rows, signUp } from '../../support/invitations';
import { failing } from '../../support/mail-gateway';
import {
  gateway,
  owner,
  deck,
  someone,
  many,
  aRetryKey,
  share,
  sends,
  tokenIn,
  look,
  madeLinks,
  statuses,
  aHangingShare,
  startMailing,
} from '../../support/mailing';
import { storeDocuments } from '../../support/stored';
import { documentsWith } from '../../support/whole-store';
import { page, succeed, world } from '../../support/world';

/**
 * Mailings that the provider refuses, answers late or does not answer, the sizes of their records, and very many
 * invitations of an address and to a deck.
 */

startMailing('pro', 'Plans');

/** The provider's answer while it still works on an earlier call with the same key. */
const busy = { do: 'answer' as const, status: 409, name: 'concurrent_idempotent_requests' };
/** The provider is busy until the time limit of the sending call has passed. */
const isBusyToTheEnd = () => {
  process.env['MAIL_PATIENCE_SECONDS'] = '3600';
  gateway.plan(busy, { ...busy, onAnswer: () => (process.env['MAIL_PATIENCE_SECONDS'] = '0') }, busy, busy);
};

describe('an Idempotency-Key', () => {
  test.each([429, 503])('sends later what the provider refused with %d, and then never again', async (status) => {
    const headers = aRetryKey();
    const emails = many(2);
    gateway.plan(...failing(status, 'unavailable'));
    const refused = await share(emails, {}, headers);
    expect([refused.headers.has('idempotency-replayed'), refused.data.summary]).toMatchObject([false, { failed: 2 }]);
    expect(await statuses(await madeLinks())).toEqual([404, 404]);
    const sent = await share(emails, {}, headers);
    expect([sent.headers.has('idempotency-replayed'), sent.data.summary]).toMatchObject([false, { sent: 2 }]);
    expect(await statuses(sent.data.sent.map(({ shareUrl }) => tokenIn(shareUrl)))).toEqual([200, 200]);
    const replay = await share(emails, {}, headers);
    expect([replay.headers.get('idempotency-replayed'), replay.data]).toEqual(['true', sent.data]);
    for (const email of each(emails)) expect(await world.mails(email)).toHaveLength(1);
    expect(await madeLinks()).toHaveLength(2);
    expect((await sends()).map(({ outcome }) => outcome)).toEqual(['sent', 'sent', 'failed', 'failed']);
  });

  test('of a call that is still sending is a conflict, and no mail is lost', async () => {
    const headers = aRetryKey();
    const emails = [someone()];
    isBusyToTheEnd();
    expect((await share(emails, {}, headers)).error.code).toBe('conflict');
    expect(gateway.calls).toHaveLength(2);
    gateway.reset();
    process.env['MAIL_PATIENCE_SECONDS'] = '3600';
    expect((await succeed(share(emails, {}, headers))).summary.sent).toBe(1);
    expect(await madeLinks()).toHaveLength(1);
  });

  test.each(['"', '\n', "'", '字', '😀'])('stores twenty mails full of %j in one document', async (text) => {
    const title = text.trim() ? text.repeat(255 / text.length) : 'Plans';
    const { presentationId } = await world.aDeck(owner, [page('one')], title);
    const message = `x${text.repeat(1998 / text.length)}x`;
    const { sending } = await aHangingShare(false, many(20), { presentationId, message }, aRetryKey());
    const records = await documentsWith(world, 'idempotencyRecords', 'isBegun', true);
    const longest = Math.max(...records.map((record) => String(record.get('answer')).length));
    // A document may have 1 MiB.
    expect(longest).toBeLessThan(800_000);
    gateway.cut();
    expect((await succeed(sending)).summary.sent).toBe(20);
  });
});

describe('without an Idempotency-Key, a slow provider', () => {
  test('is retried until it answers: the mail is sent once, and its link opens', async () => {
    const email = someone();
    gateway.plan({ do: 'answer', status: 503, name: 'application_error' }, busy, busy, busy);
    const { sent } = await succeed(share([email]));
    expect(gateway.calls.map(({ key }) => key)).toEqual(Array(5).fill(gateway.calls[0]!.key));
    expect(await world.mails(email)).toHaveLength(1);
    expect(await look(tokenIn(sent[0]!.shareUrl))).toBe(200);
    expect(await sends()).toMatchObject([{ email, outcome: 'sent' }]);
  });

  test.each(['is busy with the first attempt', 'does not answer'])('that %s too long fails the send', async (how) => {
    const email = someone();
    // One address may get a deck three times a day. Two mails are sent and two calls fail, so a third is allowed.
    for (let i = 0; i < 2; i++) await succeed(share([email]));
    for (let i = 0; i < 2; i++) {
      process.env['MAIL_PATIENCE_SECONDS'] = '1';
      if (how === 'does not answer') gateway.plan({ do: 'hang', reached: false });
      else isBusyToTheEnd();
      expect((await succeed(share([email]))).failed).toMatchObject([{ email, code: 'provider-unavailable' }]);
      gateway.reset();
    }
    process.env['MAIL_PATIENCE_SECONDS'] = '3600';
    expect((await succeed(share([email]))).summary.sent).toBe(1);
    expect((await share([email])).status).toBe(429);
    expect((await statuses(await madeLinks())).sort()).toEqual([200, 200, 200, 403, 403]);
    const late = 'provider-unavailable';
    expect((await sends()).map(({ code }) => code)).toEqual([null, late, late, null, null]);
  });
});

test('the list of collaborators has all rows except for old revoked rows, which it does not read', async () => {
  const [kept, dev] = [someone(), await world.anOwner()];
  await succeed(invite(kept));
  await succeed(invite(dev.email));
  const revoked = (await (await rowOf(kept)).get()).data()!;
  const key = await recipientKey();
  const old = Array.from({ length: 600 }, (_, i) => {
    const email = `old-${i}@example.org`;
    const times = { invitedAt: new Date(Date.now() + 1000), revokedAt: new Date(i * 1000) };
    const { path } = collaboratorRef(key, deck.presentationId, email);
    return [path, { ...revoked, ...times, collaboratorId: email, email, status: 'revoked' }] as const;
  });
  await storeDocuments(world.database, old);
  const cost = await world.costOf(async () => {
    const listed = (await rows()).map(({ email, status }) => `${email} ${status}`);
    expect(listed.slice(0, 2)).toEqual([`${kept} pending`, `${dev.email} active`]);
    const newest = old.slice(100).map(([, { email }]) => `${email} revoked`);
    expect(listed.slice(2).sort()).toEqual(newest.sort());
  });
  expect(cost.roundTrips).toBeLessThanOrEqual(2 + 3);
  expect(cost.documentReads).toBeLessThanOrEqual(510);
});

describe('an address with very many invitations', () => {
  const email = someone();
  const pending = async () => {
    const { docs } = await world.database.collectionGroup('collaborators').get();
    const open = docs.filter((row) => row.get('email') === email && row.get('status') === 'pending');
    return open.map((row) => row.get('presentationId') as string);
  };

  test('accepts the newest at the next login and the others later; a broken or locked deck does not stop it', async () => {
    await succeed(invite(email));
    const [template, row] = [(await recordOf().get()).data()!, (await (await rowOf(email)).get()).data()!];
    const ids = Array.from({ length: 59 }, () => randomUUID());
    const key = await recipientKey();
    const documents = ids.flatMap((presentationId, i) => {
      const path = `presentations/${presentationId}`;
      const invitedAt = new Date(row['invitedAt'].toMillis() - 1000 * (i + 1));
      const invitation = { ...row, presentationId, invitedAt, toldOf: invitedAt };
      // The record of the first deck is invalid.
      const deckRecord = { ...template, presentationId, ...(i === 0 && { title: 7 }) };
      return [[path, deckRecord] as const, [collaboratorRef(key, presentationId, email).path, invitation] as const];
    });
    await storeDocuments(world.database, documents);
    const dev = await world.database.runTransaction(async (tx) => {
      // This transaction locks the second deck during the whole login.
      await tx.get(world.database.doc(`presentations/${ids[1]}`));
      return signUp(email);
    });
    expect((await push(dev.key)).status).toBe(200);
    expect(await pending()).toEqual(expect.arrayContaining([ids[0], ...ids.slice(49)]));

    // The number of invitations that one login accepts depends on the machine, so the test only demands progress.
    for (let logins = 0; logins < 5 && (await pending()).length > 1; logins++) {
      passSeconds(31);
      await succeed(world.call('cliRequestLoginOtp', { email }, { headers: { 'x-forwarded-for': randomUUID() } }));
      await succeed(world.call('cliCompleteLogin', { email, code: await world.mailedCode(email) }));
    }
    expect(await pending()).toEqual([ids[0]]);
  });
});
