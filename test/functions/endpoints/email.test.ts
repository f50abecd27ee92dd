import { hashKey, mintKey } from '../../../functions/src/values/keys';
import { passSeconds } from '../../support/clock';
import {
  world,
  gateway,
  owner,
  deck,
  someone,
  many,
  share,
  list,
  sends,
  unshare,
  info,
  tokenIn,
  look,
  stored,
  madeLinks,
  startMailing,
  type Sends,
} from '../../support/mailing';
import { page, succeed } from '../../support/world';

startMailing('pro', 'Plans');

describe('sharing by mail', () => {
  test('gives every address its own link, which is named by the address, opens and counts views', async () => {
    const [one, two] = [someone(), someone()];
    const data = await succeed(share([` ${one.toUpperCase()} `, two, one], { message: 'Look at <this>\nplease' }));
    expect(data).toMatchObject({ failed: [], summary: { total: 2, sent: 2, failed: 0 } });
    expect(data.sent.map(({ email }) => email)).toEqual([one, two]);
    expect(new Set(data.sent.map(({ tokenId }) => tokenId)).size).toBe(2);
    for (const { email, shareUrl } of data.sent) {
      const [mail, ...more] = await world.mails(email);
      expect(more).toEqual([]);
      expect(mail).toMatchObject({ to: [email], subject: `${owner.email} shared: Plans` });
      expect(mail!.text).toContain(shareUrl);
      expect(mail!.text).toContain('Look at <this>\nplease');
      expect(mail!.html).toContain(shareUrl);
      expect(mail!.html).toContain('Look at &lt;this><br/>please');
      expect(mail!.html).toContain("Ada's workspace");
      expect(await look(tokenIn(shareUrl))).toBe(200);
    }
    expect(gateway.calls).toHaveLength(1);
    expect(gateway.calls[0]!.mails[0]).toMatchObject({
      from: "Ada's workspace via Deckhost <decks@localhost.localdomain>",
      reply_to: owner.email,
    });
    expect(
      new Set((await info()).tokens.map(({ name, revoked, accessCount }) => `${name} ${revoked} ${accessCount}`)),
    ).toEqual(new Set(['default false 0', `${one} false 1`, `${two} false 1`]));
    passSeconds(10 * 86_400);
    expect(await look(tokenIn(data.sent[0]!.shareUrl))).toBe(200);
  });

  test('sends an existing link to all addresses when the call names it', async () => {
    const data = await succeed(share([someone(), someone()], { tokenId: deck.tokenId, subject: ' Mine ' }));
    expect(data.sent.map(({ tokenId, shareUrl }) => [tokenId, shareUrl])).toEqual([
      [deck.tokenId, deck.shareUrl],
      [deck.tokenId, deck.shareUrl],
    ]);
    expect((await world.mails(data.sent[0]!.email))[0]!.subject).toBe('Mine');
    expect(await stored()).toHaveLength(1);
  });

  test('does not send a revoked link', async () => {
    await succeed(unshare({ tokenId: deck.tokenId }));
    expect((await share([someone()], { tokenId: deck.tokenId })).error.code).toBe('invalid-argument');
    expect(gateway.calls).toEqual([]);
  });

  test('gives a deck without live links a primary link again', async () => {
    await succeed(unshare({ all: true }));
    const { sent } = await succeed(share([someone()]));
    expect((await info()).primaryShareUrl).toBe(sent[0]!.shareUrl);
    expect(await look(tokenIn(sent[0]!.shareUrl))).toBe(200);
  });

  test.each<[unknown, object, string]>([
    [undefined, {}, 'missing-recipients'],
    [null, {}, 'missing-recipients'],
    [[], {}, 'missing-recipients'],
    ['a@example.org', {}, 'invalid-argument'],
    [[7], {}, 'invalid-argument'],
    [many(21), {}, 'too-many-recipients'],
    [many(1), { message: 'x'.repeat(2001) }, 'message-too-long'],
    [many(1), { subject: 'x'.repeat(201) }, 'invalid-argument'],
    ...['x'.repeat(22), 'short', '../../..', 'a/b'].map(
      (tokenId) => [many(1), { tokenId }, 'invalid-argument'] as [unknown, object, string],
    ),
  ])('refuses %j with %j: %s', async (emails, more, code) => {
    const { status, error } = await share(emails, more);
    expect([status, error.code]).toEqual([400, code]);
    expect(error.nextAction).toBeTruthy();
    expect(gateway.calls).toEqual([]);
  });

  test('takes twenty addresses, a message of 2000 characters, and the same address in many spellings', async () => {
    const emails = many(20);
    const data = await succeed(
      share([...emails, ...emails.map((email) => ` ${email.toUpperCase()}`)], { message: 'é'.repeat(2000) }),
    );
    expect(data.summary).toEqual({ total: 20, sent: 20, failed: 0 });
    expect(gateway.calls).toHaveLength(1);
  });

  test('is allowed to an admin key, and the mail names no sender', async () => {
    const key = mintKey('admin');
    const template = (await world.database.doc(`apiKeys/${hashKey(owner.key)}`).get()).data()!;
    await world.database
      .doc(`apiKeys/${hashKey(key)}`)
      .set({ ...template, keyId: 'admin-1', kind: 'admin', organizationId: null, userId: null });
    const { sent } = await succeed(share([someone()], {}, {}, key));
    expect(gateway.calls[0]!.mails[0]).toMatchObject({ subject: 'Shared with you: Plans' });
    expect(gateway.calls[0]!.mails[0]).not.toHaveProperty('reply_to');
    expect(await look(tokenIn(sent[0]!.shareUrl))).toBe(200);
    expect(await sends()).toMatchObject([{ sentBy: 'admin-1', keyId: 'admin-1' }]);
  });

  test('costs four round trips apart from the key, for one recipient and for twenty', async () => {
    for (const emails of [many(1), many(20)]) {
      const cost = await world.costOf(() => succeed(share(emails)));
      expect(cost.roundTrips).toBeLessThanOrEqual(4 + 2);
    }
    const cost = await world.costOf(() => succeed(list()));
    expect(cost.roundTrips).toBeLessThanOrEqual(2 + 2);
  });
});

describe('the text of a user', () => {
  test.each([
    'Plans\r\nBcc: eve@example.org',
    '<script>alert(1)</script>"\'><img src=x>',
    'a\u2028b\u0000c\u202ed',
    '\ud83d\ude00 \ufffd',
  ])('becomes neither a header nor HTML: %j', async (text) => {
    const titled = await world.aDeck(owner, [page('one')], text);
    await world.database.doc(`organizations/${owner.organizationId}`).update({ name: `${text} <eve@example.org>` });
    const more = { presentationId: titled.presentationId, message: text };
    await succeed(share([someone()], more));
    await succeed(share([someone()], { ...more, subject: text }));
    for (const { mails } of gateway.calls) {
      const { subject, from, html } = mails[0] as { subject: string; from: string; html: string };
      expect(subject).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
      expect(from).toMatch(/^[^<>@\p{Cc}]* via Deckhost <decks@localhost\.localdomain>$/u);
      expect(html).not.toMatch(/<script|<img/);
    }
  });
});

describe('an address that cannot be mailed', () => {
  test('fails alone, and its link is revoked', async () => {
    // The second address passes the service's check and the provider refuses it.
    const [good, refused] = [someone(), 'someone@example.o'];
    const data = await succeed(share(['nobody', refused, '', good, 'a@b\r\nBcc: c@d.org']));
    expect(data.sent).toMatchObject([{ email: good }]);
    expect(data.failed.map(({ email, code }) => [email, code])).toEqual([
      ['nobody', 'invalid-email'],
      [refused, 'provider-rejected'],
      ['', 'invalid-email'],
      ['a@b\r\nbcc: c@d.org', 'invalid-email'],
    ]);
    expect(data.summary).toEqual({ total: 5, sent: 1, failed: 4 });
    const isRevoked = new Map((await info()).tokens.map(({ name, revoked }) => [name, revoked]));
    expect([isRevoked.get(refused), isRevoked.get(good), isRevoked.size]).toEqual([true, false, 3]);
    const listed = await sends();
    expect(listed.map(({ email, outcome, code }) => [email, outcome, code]).reverse()).toEqual([
      ['nobody', 'failed', 'invalid-email'],
      [refused, 'failed', 'provider-rejected'],
      ['', 'failed', 'invalid-email'],
      [good, 'sent', null],
      ['a@b\r\nbcc: c@d.org', 'failed', 'invalid-email'],
    ]);
  });

  test('fails alone however long it is, and its record is short', async () => {
    const good = someone();
    const data = await succeed(share([`${'x'.repeat(20_000)}@example.org`, good, '😀'.repeat(10_000)]));
    expect(data.sent).toMatchObject([{ email: good }]);
    expect(data.failed.map(({ code }) => code)).toEqual(['invalid-email', 'invalid-email']);
    const listed = await sends();
    for (const { email } of listed) expect(email!.length).toBeLessThanOrEqual(300);
    expect(listed.map(({ email }) => email).reverse()).toEqual([data.failed[0]!.email, good, data.failed[1]!.email]);
  });

  test.each([
    [429, 'rate_limit_exceeded', 'provider-rate-limited', 3],
    [429, 'daily_quota_exceeded', 'provider-rate-limited', 1],
    [403, 'validation_error', 'provider-rejected', 1],
    [500, 'internal_server_error', 'provider-unavailable', 3],
  ])('when the provider answers %d %s: %s, no link, and a record', async (status, name, code, tries) => {
    gateway.plan(...Array.from({ length: tries }, () => ({ do: 'answer' as const, status, name })));
    const data = await succeed(share([someone(), someone()]));
    expect(data.failed.map((each) => each.code)).toEqual([code, code]);
    expect(gateway.calls).toHaveLength(tries);
    expect(await Promise.all((await madeLinks()).map(look))).toEqual([403, 403]);
    expect(await sends()).toMatchObject([
      { outcome: 'failed', code, resendMessageId: null },
      { outcome: 'failed', code },
    ]);
  });

  test('is mailed after all when the provider answers the second time, and only once', async () => {
    gateway.plan({ do: 'answer', status: 503, name: 'application_error' });
    const email = someone();
    expect((await succeed(share([email]))).summary.sent).toBe(1);
    expect(gateway.calls.map(({ key }) => key)).toEqual([gateway.calls[0]!.key, gateway.calls[0]!.key]);
    expect(await world.mails(email)).toHaveLength(1);
  });
});

describe('the list of sends', () => {
  test('has every send, newest first, in pages', async () => {
    const emails: string[] = [];
    for (let i = 0; i < 3; i++) {
      const [one, two] = many(2) as [string, string];
      await succeed(share([one, two], { subject: `No. ${i}` }));
      emails.push(one, two);
    }
    const seen: Sends['sends'] = [];
    let cursor: string | null = null;
    do {
      const page: Sends = await succeed(list({ limit: '4', ...(cursor && { cursor }) }));
      seen.push(...page.sends);
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen.map(({ email }) => email)).toEqual([...emails].reverse());
    expect(seen[0]).toEqual({
      sendId: expect.any(String),
      presentationId: deck.presentationId,
      email: emails.at(-1),
      tokenId: expect.any(String),
      subject: 'No. 2',
      outcome: 'sent',
      code: null,
      resendMessageId: expect.any(String),
      sentBy: expect.any(String),
      keyId: owner.keyId,
      requestId: expect.any(String),
      sentAt: expect.any(String),
    });
    for (const limit of ['0', '101', 'x']) expect((await list({ limit })).status).toBe(400);
    expect((await list({ cursor: 'nonsense' })).status).toBe(400);
  });
});
