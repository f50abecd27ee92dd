import { failing } from '../../support/mail-gateway';
import {
  world,
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
  startMailing,
} from '../../support/mailing';
import { page, succeed } from '../../support/world';
import { documentsWith } from '../../support/whole-store';

startMailing('pro', 'Plans');

/** The provider's answer while it still works on an earlier call with the same key. */
const busy = { do: 'answer' as const, status: 409, name: 'concurrent_idempotent_requests' };
/** The provider is busy until the time limit of the sending call has passed. */
const isBusyToTheEnd = () => {
  process.env['MAIL_PATIENCE_SECONDS'] = '3600';
  gateway.plan(busy, { ...busy, onAnswer: () => (process.env['MAIL_PATIENCE_SECONDS'] = '0') }, busy, busy);
};

describe('an Idempotency-Key', () => {
  test('sends once, however many calls repeat or race', async () => {
    const email = someone();
    const headers = aRetryKey();
    const first = await succeed(share([email, 'nobody'], {}, headers));
    const again = await share([email, 'nobody'], {}, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.data).toEqual(first);
    expect((await share([someone()], {}, headers)).error.code).toBe('conflict');
    expect(await world.mails(email)).toHaveLength(1);

    const other = someone();
    const racing = aRetryKey();
    const answers = await Promise.all(Array.from({ length: 6 }, () => succeed(share([other], {}, racing))));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await world.mails(other)).toHaveLength(1);
    expect(await sends()).toHaveLength(3);
    expect(await look(tokenIn(answers[0]!.sent[0]!.shareUrl))).toBe(200);
  });

  test.each([429, 503])('sends later what the provider refused with %d, and then never again', async (status) => {
    const headers = aRetryKey();
    const emails = many(2);
    gateway.plan(...failing(status, 'unavailable'));
    const refused = await share(emails, {}, headers);
    expect([refused.headers.has('idempotency-replayed'), refused.data.summary]).toMatchObject([false, { failed: 2 }]);
    expect(await Promise.all((await madeLinks()).map(look))).toEqual([404, 404]);
    const sent = await share(emails, {}, headers);
    expect([sent.headers.has('idempotency-replayed'), sent.data.summary]).toMatchObject([false, { sent: 2 }]);
    expect(await Promise.all(sent.data.sent.map(({ shareUrl }) => look(tokenIn(shareUrl))))).toEqual([200, 200]);
    const replay = await share(emails, {}, headers);
    expect([replay.headers.get('idempotency-replayed'), replay.data]).toEqual(['true', sent.data]);
    for (const email of emails) expect(await world.mails(email)).toHaveLength(1);
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

  test('is unknown when the secret that sealed its answer is gone', async () => {
    const headers = aRetryKey();
    const add = () =>
      world.call<{ tokenId: string }>(
        'addPresentationToken',
        { presentationId: deck.presentationId, tokenName: 'x' },
        { key: owner.key, headers },
      );
    const first = await succeed(add());
    const secret = process.env['SERVICE_SECRET']!;
    try {
      process.env['SERVICE_SECRET'] = `a newer secret of the service\n${secret}\n`;
      expect((await add()).body.data).toEqual({ tokenId: first.tokenId });
      process.env['SERVICE_SECRET'] = 'a newer secret of the service';
      const again = await add();
      expect([again.status, again.headers.has('idempotency-replayed')]).toEqual([200, false]);
      expect(again.data.tokenId).not.toBe(first.tokenId);
      expect((await add()).body.data).toEqual({ tokenId: again.data.tokenId });
    } finally {
      process.env['SERVICE_SECRET'] = secret;
    }
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

  test('sends identical mails when the retry comes after a deploy that changed the site and the template', async () => {
    const headers = aRetryKey();
    const [email, before] = [someone(), process.env['VIEWER_URL']];
    gateway.plan({ do: 'hang', reached: true });
    const first = share([email], {}, headers);
    await gateway.hanging();
    process.env['VIEWER_URL'] = 'https://decks.example.org';
    try {
      const { sent } = await succeed(share([email], {}, headers));
      expect(gateway.calls[1]).toEqual(gateway.calls[0]);
      expect(await look(tokenIn(sent[0]!.shareUrl))).toBe(200);
    } finally {
      if (before === undefined) delete process.env['VIEWER_URL'];
      else process.env['VIEWER_URL'] = before;
      gateway.cut();
      await first;
    }
    expect(await world.mails(email)).toHaveLength(1);
  });

  test('whose mails the provider got with other content is a conflict, and the call that sent them completes', async () => {
    const headers = aRetryKey();
    const emails = [someone()];
    gateway.plan({ do: 'hang', reached: true }, { do: 'answer', status: 409, name: 'invalid_idempotent_request' });
    const first = share(emails, {}, headers);
    await gateway.hanging();
    expect((await share(emails, {}, headers)).error).toMatchObject({
      code: 'conflict',
      nextAction: expect.stringContaining('another Idempotency-Key'),
    });
    gateway.cut();
    const { sent } = await succeed(first);
    expect(await look(tokenIn(sent[0]!.shareUrl))).toBe(200);
  });

  test.each(['"', '\n', "'", '字', '😀'])(
    'stores its mails in one document, even twenty mails full of %j',
    async (text) => {
      const title = text.trim() ? text.repeat(255 / text.length) : 'Plans';
      const full = await world.aDeck(owner, [page('one')], title);
      const headers = aRetryKey();
      const message = `x${text.repeat(1998 / text.length)}x`;
      gateway.plan({ do: 'hang', reached: false });
      const call = share(many(20), { presentationId: full.presentationId, message }, headers);
      await gateway.hanging();
      const records = await documentsWith(world, 'idempotencyRecords', 'isBegun', true);
      const longest = Math.max(...records.map((record) => String(record.get('answer')).length));
      // A document may have 1 MiB.
      expect(longest).toBeLessThan(800_000);
      gateway.cut();
      expect((await succeed(call)).summary.sent).toBe(20);
    },
  );
});

describe('without an Idempotency-Key, a slow provider', () => {
  test('is retried until it answers: the mail is sent once, and its link opens', async () => {
    const email = someone();
    gateway.plan({ do: 'answer', status: 503, name: 'application_error' }, busy, busy, busy);
    const { sent } = await succeed(share([email]));
    expect(await world.mails(email)).toHaveLength(1);
    expect(await look(tokenIn(sent[0]!.shareUrl))).toBe(200);
    expect(await sends()).toMatchObject([{ email, outcome: 'sent' }]);
  });

  test.each(['is busy with the first attempt', 'does not answer'])(
    'that %s for longer than a call waits counts as a failed send',
    async (how) => {
      const email = someone();
      // One address may get a deck three times a day. Two mails are sent and two calls fail, so the limit allows a
      // third.
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
      const seen = await Promise.all((await madeLinks()).map(look));
      expect(seen.sort()).toEqual([200, 200, 200, 403, 403]);
      const listed = await sends();
      expect(listed.map(({ code }) => code)).toEqual([
        null,
        'provider-unavailable',
        'provider-unavailable',
        null,
        null,
      ]);
    },
  );
});
