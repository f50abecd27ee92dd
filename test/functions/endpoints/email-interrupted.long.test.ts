import { each } from '../../support/each';
import { failing } from '../../support/mail-gateway';
import {
  gateway,
  owner,
  someone,
  many,
  aRetryKey,
  share,
  sends,
  tokenIn,
  look,
  madeLinks,
} from '../../support/mailing';
import { documentsWith } from '../../support/whole-store';
import { page, succeed, world } from '../../support/world';
import { statuses, aHangingShare, startHangingMails } from './hanging-mails';

/** Mailings that the provider refuses, answers late or does not answer, and the sizes of their records. */

startHangingMails();

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

  test('sends no second mail when the provider accepted the mails and every answer of the first call was lost', async () => {
    const headers = aRetryKey();
    const emails = [someone()];
    process.env['MAIL_PATIENCE_SECONDS'] = '1';
    gateway.plan({ do: 'hang', reached: true });
    expect((await succeed(share(emails, {}, headers))).failed[0]!.code).toBe('provider-unavailable');
    process.env['MAIL_PATIENCE_SECONDS'] = '3600';
    const { sent } = await succeed(share(emails, {}, headers));
    expect(await look(tokenIn(sent[0]!.shareUrl))).toBe(200);
    expect(await world.mails(emails[0]!)).toHaveLength(1);
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
