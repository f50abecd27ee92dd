import { randomUUID } from 'node:crypto';
import { hashKey, mintKey } from '../../../functions/src/values/keys';
import { openShareToken } from '../../../functions/src/values/share-tokens';
import { passSeconds } from '../../support/clock';
import { startMailGateway, type MailGateway } from '../../support/mail-gateway';
import { page, succeed, World, type Account, type Answered, type Deck } from '../../support/world';

interface Shared {
  presentationId: string;
  sent: { email: string; tokenId: string; resendMessageId: string; shareUrl: string }[];
  failed: { email: string; code: string; message: string }[];
  summary: { total: number; sent: number; failed: number };
}
interface Sends {
  sends: Record<string, string | null>[];
  nextCursor: string | null;
}

let world: World;
let gateway: MailGateway;
let owner: Account;
let deck: Deck;
beforeAll(async () => {
  world = await World.start();
  gateway = await startMailGateway(world.cloud.mailUrl);
  // Read with each send.
  process.env['RESEND_BASE_URL'] = gateway.url;
});
beforeEach(async () => {
  // What hangs does so until a test cuts it, however long that takes.
  process.env['MAIL_PATIENCE_SECONDS'] = '3600';
  // The pauses of the product are as many as in the cloud, and short.
  process.env['MAIL_RETRY_PAUSE_MS'] = '1';
  process.env['HELD_LINK_PAUSE_MS'] = '1';
  gateway.reset();
  owner = await world.anOwner('pro');
  deck = await world.aDeck(owner, [page('one')], 'Plans');
  gateway.calls.length = 0;
});
afterAll(async () => {
  await gateway.close();
  await world.stop();
});

const someone = () => `friend-${randomUUID()}@example.org`;
const many = (count: number) => Array.from({ length: count }, someone);
const share = (emails: unknown, more: object = {}, headers = {}, key = owner.key): Promise<Answered<Shared>> =>
  world.call('sharePresentationViaEmail', { presentationId: deck.presentationId, emails, ...more }, { key, headers });
const list = (query: Record<string, string> = {}) =>
  world.call<Sends>('listEmailSends', undefined, {
    key: owner.key,
    query: { presentationId: deck.presentationId, ...query },
  });
const unshare = (body: object) =>
  world.call<{ revokedTokenIds: string[] }>(
    'unsharePresentation',
    { presentationId: deck.presentationId, ...body },
    { key: owner.key },
  );
/** The provider says that it is at work on these very mails. */
const busy = { do: 'answer' as const, status: 409, name: 'concurrent_idempotent_requests' };
/** It says so twice, and then its time is over. */
const isBusyToTheEnd = () => {
  process.env['MAIL_PATIENCE_SECONDS'] = '3600';
  gateway.plan(busy, { ...busy, onAnswer: () => (process.env['MAIL_PATIENCE_SECONDS'] = '0') }, busy, busy);
};
const tokenIn = (url: string) => new URL(url).searchParams.get('token')!;
const look = (token: string) => world.visit(world.viewUrl({ presentationId: deck.presentationId, token }));
const stored = async (path = 'shareTokens') =>
  (await world.database.collection(`presentations/${deck.presentationId}/${path}`).get()).docs.map((each) =>
    each.data(),
  );
/** The links that were made for addresses, as only the database still knows them. */
const madeLinks = async () =>
  (await stored())
    .filter(({ name }) => name !== 'default')
    .map(({ sealed }) => openShareToken(process.env['SERVICE_SECRET']!, deck.presentationId, sealed));
const info = () =>
  succeed(
    world.call<{ primaryShareUrl: string; tokens: { name: string; revoked: boolean; accessCount: number }[] }>(
      'getSharedPresentationInfo',
      undefined,
      { key: owner.key, query: { presentationId: deck.presentationId } },
    ),
  );

describe('sharing by mail', () => {
  test('gives every address a link of its own, named by it, that works and counts', async () => {
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
      expect(mail!.html).toContain('Look at &lt;this&gt;<br>\nplease');
      expect(mail!.html).toContain('Ada&#39;s workspace');
      expect(await look(tokenIn(shareUrl))).toBe(200);
    }
    expect(gateway.calls).toHaveLength(1);
    expect(gateway.calls[0]!.mails[0]).toMatchObject({
      from: "Ada's workspace via Decks <decks@localhost.localdomain>",
      reply_to: owner.email,
    });
    expect(
      new Set((await info()).tokens.map(({ name, revoked, accessCount }) => `${name} ${revoked} ${accessCount}`)),
    ).toEqual(new Set(['default false 0', `${one} false 1`, `${two} false 1`]));
    passSeconds(10 * 86_400);
    expect(await look(tokenIn(data.sent[0]!.shareUrl))).toBe(200);
  });

  test('sends a link that there is to everybody when it is named', async () => {
    const data = await succeed(share([someone(), someone()], { tokenId: deck.tokenId, subject: ' Mine ' }));
    expect(data.sent.map(({ tokenId, shareUrl }) => [tokenId, shareUrl])).toEqual([
      [deck.tokenId, deck.shareUrl],
      [deck.tokenId, deck.shareUrl],
    ]);
    expect((await world.mails(data.sent[0]!.email))[0]!.subject).toBe('Mine');
    expect(await stored()).toHaveLength(1);
  });

  test.each(['x'.repeat(22), 'short', '../../..', 'a/b'])('does not know the token %j', async (tokenId) => {
    const { status, error } = await share([someone()], { tokenId });
    expect([status, error.code, error.details?.errors?.[0]?.location]).toEqual([
      400,
      'invalid-argument',
      'body.tokenId',
    ]);
  });

  test('does not send a revoked link', async () => {
    await succeed(unshare({ tokenId: deck.tokenId }));
    expect((await share([someone()], { tokenId: deck.tokenId })).error.code).toBe('invalid-argument');
    expect(gateway.calls).toEqual([]);
  });

  test('gives a deck without links its link back', async () => {
    await succeed(unshare({ all: true }));
    const { sent } = await succeed(share([someone()]));
    expect((await info()).primaryShareUrl).toBe(sent[0]!.shareUrl);
    expect(await look(tokenIn(sent[0]!.shareUrl))).toBe(200);
  });

  test.each([
    [undefined, {}, 'missing-recipients'],
    [null, {}, 'missing-recipients'],
    [[], {}, 'missing-recipients'],
    ['a@example.org', {}, 'invalid-argument'],
    [[7], {}, 'invalid-argument'],
    [many(21), {}, 'too-many-recipients'],
    [many(1), { message: 'x'.repeat(2001) }, 'message-too-long'],
    [many(1), { subject: 'x'.repeat(201) }, 'invalid-argument'],
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

  test('an admin key may, with no sender to name', async () => {
    const key = mintKey('admin');
    const template = (await world.database.doc(`apiKeys/${hashKey(owner.key)}`).get()).data()!;
    await world.database
      .doc(`apiKeys/${hashKey(key)}`)
      .set({ ...template, keyId: 'admin-1', kind: 'admin', organizationId: null, userId: null });
    const { sent } = await succeed(share([someone()], {}, {}, key));
    expect(gateway.calls[0]!.mails[0]).toMatchObject({ subject: 'Shared with you: Plans' });
    expect(gateway.calls[0]!.mails[0]).not.toHaveProperty('reply_to');
    expect(await look(tokenIn(sent[0]!.shareUrl))).toBe(200);
    expect((await succeed(list())).sends).toMatchObject([{ sentBy: 'admin-1', keyId: 'admin-1' }]);
  });

  test('takes four round trips of the database beside the key, for one recipient and for twenty', async () => {
    for (const emails of [many(1), many(20)]) {
      const cost = await world.costOf(() => succeed(share(emails)));
      expect(cost.roundTrips).toBeLessThanOrEqual(4 + 2);
    }
    const cost = await world.costOf(() => succeed(list()));
    expect(cost.roundTrips).toBeLessThanOrEqual(2 + 2);
  });
});

describe('what somebody wrote', () => {
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
      expect(from).toMatch(/^[^<>@\p{Cc}]* via Decks <decks@localhost\.localdomain>$/u);
      expect(html).not.toMatch(/<script|<img/);
    }
  });
});

describe('an address that cannot be mailed', () => {
  test('fails alone, and its link is revoked again', async () => {
    // The second is an address for us and none for the provider.
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
    const { sends } = await succeed(list());
    expect(sends.map(({ email, outcome, code }) => [email, outcome, code]).reverse()).toEqual([
      ['nobody', 'failed', 'invalid-email'],
      [refused, 'failed', 'provider-rejected'],
      ['', 'failed', 'invalid-email'],
      [good, 'sent', null],
      ['a@b\r\nbcc: c@d.org', 'failed', 'invalid-email'],
    ]);
  });

  test('is told so even when it is the only one, without troubling the provider', async () => {
    const { status, data } = await share(['nobody']);
    expect([status, data.summary]).toEqual([200, { total: 1, sent: 0, failed: 1 }]);
    expect(gateway.calls).toEqual([]);
  });

  test('fails alone however long it is, and what is recorded of it is short', async () => {
    const good = someone();
    const data = await succeed(share([`${'x'.repeat(100_000)}@example.org`, good, '😀'.repeat(50_000)]));
    expect(data.sent).toMatchObject([{ email: good }]);
    expect(data.failed.map(({ code }) => code)).toEqual(['invalid-email', 'invalid-email']);
    const { sends } = await succeed(list());
    for (const { email } of sends) expect(email!.length).toBeLessThanOrEqual(300);
    expect(sends.map(({ email }) => email).reverse()).toEqual([data.failed[0]!.email, good, data.failed[1]!.email]);
  });

  test.each([
    [429, 'rate_limit_exceeded', 'provider-rate-limited', 1],
    [403, 'validation_error', 'provider-rejected', 1],
    [500, 'internal_server_error', 'provider-unavailable', 3],
  ])('when the provider answers %d %s: %s, no link, and a record', async (status, name, code, tries) => {
    gateway.plan(...Array.from({ length: tries }, () => ({ do: 'answer' as const, status, name })));
    const data = await succeed(share([someone(), someone()]));
    expect(data.failed.map((each) => each.code)).toEqual([code, code]);
    expect(gateway.calls).toHaveLength(tries);
    for (const token of await madeLinks()) expect(await look(token)).toBe(403);
    expect((await succeed(list())).sends).toMatchObject([
      { outcome: 'failed', code, resendMessageId: null },
      { outcome: 'failed', code },
    ]);
  });

  test('is mailed after all when the provider answers the second time, once', async () => {
    gateway.plan({ do: 'answer', status: 503, name: 'application_error' });
    const email = someone();
    expect((await succeed(share([email]))).summary.sent).toBe(1);
    expect(gateway.calls.map(({ key }) => key)).toEqual([gateway.calls[0]!.key, gateway.calls[0]!.key]);
    expect(await world.mails(email)).toHaveLength(1);
  });

  test('a provider that fails does not use up the rate', async () => {
    const email = someone();
    for (let i = 0; i < 4; i++) {
      gateway.plan({ do: 'answer', status: 429, name: 'rate_limit_exceeded' });
      expect((await succeed(share([email]))).failed[0]!.code).toBe('provider-rate-limited');
    }
    expect((await succeed(share([email]))).summary.sent).toBe(1);
  });
});

describe('a send that dies', () => {
  test('before the mail is out leaves no link that opens, and shows none', async () => {
    gateway.plan({ do: 'hang', reached: false });
    const call = share([someone(), someone()]);
    await gateway.hanging();
    // From here on the instance is as good as dead: what the database holds now is what it leaves.
    const tokens = await madeLinks();
    expect(tokens).toHaveLength(2);
    expect((await info()).tokens.map(({ name }) => name)).toEqual(['default']);
    expect(await Promise.all(tokens.map(look))).toEqual([404, 404]);
    passSeconds(10 * 86_400);
    expect(await Promise.all(tokens.map(look))).toEqual([404, 404]);
    expect((await info()).tokens.map(({ name }) => name)).toEqual(['default']);
    jest.useRealTimers();
    gateway.cut();
    expect((await succeed(call)).summary.sent).toBe(2);
  });

  test('after the mail is out is finished by calling again with its key: nobody is mailed twice, and the link opens', async () => {
    const email = someone();
    const headers = { 'idempotency-key': randomUUID() };
    gateway.plan({ do: 'hang', reached: true });
    const first = share([email], { message: 'x' }, headers);
    await gateway.hanging();
    const [mail] = await world.mails(email);
    const [token] = await madeLinks();
    expect(mail!.text).toContain(token!);
    expect(await look(token!)).toBe(404);
    passSeconds(80_000);
    // What the mail shows may have changed since; the retry sends the same all the same.
    await world.database.doc(`presentations/${deck.presentationId}`).update({ title: 'Other' });
    const again = await succeed(share([email], { message: 'x' }, headers));
    expect(tokenIn(again.sent[0]!.shareUrl)).toBe(token);
    expect(await world.mails(email)).toHaveLength(1);
    passSeconds(86_400);
    expect(await look(token!)).toBe(200);
    jest.useRealTimers();
    gateway.cut();
    expect(await succeed(first)).toEqual(again);
    expect(await world.mails(email)).toHaveLength(1);
    expect((await succeed(list())).sends).toHaveLength(1);
    expect(await madeLinks()).toHaveLength(1);
  });

  test.each(['one', 'all'])('and whose links were revoked since (%s) is a conflict, however late', async (which) => {
    const headers = { 'idempotency-key': randomUUID() };
    const emails = [someone()];
    gateway.plan({ do: 'hang', reached: true });
    const first = share(emails, {}, headers);
    await gateway.hanging();
    const [{ tokenId }] = (await stored()).filter(({ name }) => name !== 'default') as [{ tokenId: string }];
    passSeconds(3600);
    const { revokedTokenIds } = await succeed(unshare(which === 'all' ? { all: true } : { tokenId }));
    expect(revokedTokenIds).toContain(tokenId);
    passSeconds(3600);
    expect((await share(emails, {}, headers)).error.code).toBe('conflict');
    gateway.cut();
    await first;
    for (const token of await madeLinks()) expect(await look(token)).toBe(403);
  });

  test('with a link that there was, and that was revoked since, mails nobody', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = [[someone()], { tokenId: deck.tokenId }, headers] as const;
    gateway.plan({ do: 'hang', reached: false });
    const first = share(...body);
    await gateway.hanging();
    await succeed(unshare({ tokenId: deck.tokenId }));
    expect((await share(...body)).error.code).toBe('conflict');
    expect(gateway.calls).toHaveLength(1);
    gateway.cut();
    await first;
  });
});

describe('a link whose mail is being sent', () => {
  test('makes whoever opens it at once wait until it opens', async () => {
    delete process.env['HELD_LINK_PAUSE_MS'];
    const email = someone();
    gateway.plan({ do: 'hang', reached: true });
    const call = share([email]);
    await gateway.hanging();
    const [mail] = await world.mails(email);
    const { pathname, search, searchParams } = new URL(/http\S+token=\S+/.exec(mail!.text)![0]);
    const [{ tokenId }] = (await stored()).filter(({ name }) => name !== 'default') as [{ tokenId: string }];
    const page = fetch(`${world.cloud.baseUrl}/sharePage${pathname}${search}`);
    const frame = look(searchParams.get('token')!);
    // As the end of the call would do it.
    await world.database.doc(`presentations/${deck.presentationId}/shareTokens/${tokenId}`).update({ isHeld: false });
    expect([(await page).status, await frame]).toEqual([200, 200]);
    gateway.cut();
    await call;
  });
});

describe('a deck whose links open nothing', () => {
  const closed: [string, object][] = [
    ['has expired', { expiresAt: new Date(Date.now() - 1) }],
    ['was taken down', { takedown: { at: new Date(), reason: 'x' } }],
  ];
  test.each(closed)('since it %s is not mailed, not even by a call that is taken up again', async (what, state) => {
    const headers = { 'idempotency-key': randomUUID() };
    const emails = [someone()];
    gateway.plan({ do: 'hang', reached: false });
    const first = share(emails, {}, headers);
    await gateway.hanging();
    const document = world.database.doc(`presentations/${deck.presentationId}`);
    await document.update(state);
    for (const again of [share(emails, {}, headers), share(emails)]) {
      const { status, error } = await again;
      expect([status, error.code]).toEqual([409, 'conflict']);
      expect(error.message).toContain(what);
    }
    expect(gateway.calls).toHaveLength(1);
    gateway.cut();
    await first;
  });

  test('in the future is mailed', async () => {
    await world.database
      .doc(`presentations/${deck.presentationId}`)
      .update({ expiresAt: new Date(Date.now() + 60_000) });
    expect((await succeed(share([someone()]))).summary.sent).toBe(1);
  });
});

describe('an Idempotency-Key', () => {
  test('sends once, however often and however parallel', async () => {
    const email = someone();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await succeed(share([email, 'nobody'], {}, headers));
    const again = await share([email, 'nobody'], {}, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.data).toEqual(first);
    expect((await share([someone()], {}, headers)).error.code).toBe('conflict');
    expect(await world.mails(email)).toHaveLength(1);

    const other = someone();
    const racing = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 6 }, () => succeed(share([other], {}, racing))));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await world.mails(other)).toHaveLength(1);
    expect((await succeed(list())).sends).toHaveLength(3);
    expect(await look(tokenIn(answers[0]!.sent[0]!.shareUrl))).toBe(200);
  });

  test('is not needed to send the same twice', async () => {
    const email = someone();
    await succeed(share([email]));
    await succeed(share([email]));
    expect(await world.mails(email)).toHaveLength(2);
  });

  test('meets another call that is sending just now: conflict when that does not end, and nothing is lost', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const emails = [someone()];
    isBusyToTheEnd();
    expect((await share(emails, {}, headers)).error.code).toBe('conflict');
    expect(gateway.calls).toHaveLength(2);
    gateway.reset();
    process.env['MAIL_PATIENCE_SECONDS'] = '3600';
    expect((await succeed(share(emails, {}, headers))).summary.sent).toBe(1);
    expect(await madeLinks()).toHaveLength(1);
  });

  test('sends the very same mails when it is taken up after a deploy that changed the site and the template', async () => {
    const headers = { 'idempotency-key': randomUUID() };
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

  test('whose mails the provider has in another form is a conflict, and the call that sent them comes to its end', async () => {
    const headers = { 'idempotency-key': randomUUID() };
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
    'keeps what it mails in a document, even twenty mails full of %j',
    async (text) => {
      const title = text.trim() ? text.repeat(255 / text.length) : 'Plans';
      const full = await world.aDeck(owner, [page('one')], title);
      const headers = { 'idempotency-key': randomUUID() };
      const message = `x${text.repeat(1998 / text.length)}x`;
      gateway.plan({ do: 'hang', reached: false });
      const call = share(many(20), { presentationId: full.presentationId, message }, headers);
      await gateway.hanging();
      const records = (await world.database.collection('idempotencyRecords').where('isBegun', '==', true).get()).docs;
      const longest = Math.max(...records.map((record) => String(record.get('answer')).length));
      // A document holds 1 MiB.
      expect(longest).toBeLessThan(800_000);
      gateway.cut();
      expect((await succeed(call)).summary.sent).toBe(20);
    },
  );
});

describe('without an Idempotency-Key, a slow provider', () => {
  test('is asked until it answers: the mail goes out once, and its link opens', async () => {
    const email = someone();
    gateway.plan({ do: 'answer', status: 503, name: 'application_error' }, busy, busy, busy);
    const { sent } = await succeed(share([email]));
    expect(await world.mails(email)).toHaveLength(1);
    expect(await look(tokenIn(sent[0]!.shareUrl))).toBe(200);
    expect((await succeed(list())).sends).toMatchObject([{ email, outcome: 'sent' }]);
  });

  test.each(['is busy with our own first try', 'does not answer'])(
    'that %s for longer than a call waits counts as one that did not take them',
    async (how) => {
      const email = someone();
      // An address gets a deck three times a day: two mails are sent, two calls fail, and the third mail is still
      // within the rate.
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
      const { sends } = await succeed(list());
      expect(sends.map(({ code }) => code)).toEqual([null, 'provider-unavailable', 'provider-unavailable', null, null]);
    },
  );
});

describe('the rates', () => {
  const refused = async (answer: Promise<Answered<Shared>>) => {
    const { status, error, headers } = await answer;
    expect([status, error.code]).toEqual([429, 'rate-limited']);
    expect(headers.get('retry-after')).toBe(String(error.details!['retryInSeconds']));
    return error.details!;
  };

  test('an organization mails a hundred an hour, however many calls race, and nothing of a refused call is sent', async () => {
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

  test('on the free plan fifty a day', async () => {
    await world.database.doc(`organizations/${owner.organizationId}`).update({ plan: 'free' });
    for (const emails of [many(20), many(20), many(10)]) await succeed(share(emails));
    const details = await refused(share(many(1)));
    expect(details).toMatchObject({ limit: 50, windowSeconds: 86_400 });
    passSeconds(3601);
    await refused(share(many(1)));
    passSeconds(Number(details['retryInSeconds']) - 3600);
    expect((await share(many(1))).status).toBe(200);
  });

  test('one address gets a deck three times a day, and another deck besides', async () => {
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

  test('count nothing that is replayed or no address', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const emails = many(20);
    for (let i = 0; i < 6; i++) await succeed(share(emails, {}, headers));
    for (let i = 0; i < 6; i++) await succeed(share(['nobody', 'no one']));
    for (let i = 0; i < 4; i++) await succeed(share(many(20)));
    await refused(share(many(1)));
  });

  test('end even for calls that mail nobody, and what they leave behind is small', async () => {
    const mailWindow = world.database.doc(`mailWindows/${owner.organizationId}`);
    const noise = Array.from({ length: 146 }, () => ({ sendId: randomUUID(), at: new Date(), recipients: [] }));
    await mailWindow.set({ sends: noise, expiresAt: new Date() });
    gateway.plan({ do: 'answer', status: 429, name: 'rate_limit_exceeded' });
    expect((await succeed(share([someone()]))).failed[0]!.code).toBe('provider-rate-limited');
    for (let i = 0; i < 3; i++) await succeed(share(['nobody']));
    expect(await refused(share(['nobody']))).toMatchObject({ limit: 150, windowSeconds: 3600 });
    expect(await refused(share(many(1)))).toMatchObject({ limit: 150, windowSeconds: 3600 });
    passSeconds(3600);
    await succeed(share(many(1)));
    expect((await mailWindow.get()).get('sends')).toHaveLength(1);
  });
});

describe('revoking while mails go out', () => {
  test.each(['one', 'all'])('%s: the links stay revoked', async (which) => {
    gateway.plan({ do: 'hang', reached: true });
    const call = share([someone()]);
    await gateway.hanging();
    const [{ tokenId }] = (await stored()).filter(({ name }) => name !== 'default') as [{ tokenId: string }];
    const { revokedTokenIds } = await succeed(unshare(which === 'all' ? { all: true } : { tokenId }));
    expect(revokedTokenIds).toContain(tokenId);
    gateway.cut();
    const { sent } = await succeed(call);
    expect(sent).toMatchObject([{ tokenId }]);
    expect(await look(tokenIn(sent[0]!.shareUrl))).toBe(403);
    expect((await info()).primaryShareUrl).toBe(which === 'all' ? null : deck.shareUrl);
  });

  test('a link that is pinned meanwhile is kept so, and shown only when it is kept', async () => {
    await succeed(unshare({ all: true }));
    gateway.plan({ do: 'hang', reached: true });
    const call = share([someone()]);
    await gateway.hanging();
    const [{ tokenId }] = (await stored()).filter(({ name }) => name !== 'default') as [{ tokenId: string }];
    const pin = { presentationId: deck.presentationId, tokenId, versionMode: { type: 'pinned', version: 1 } };
    await succeed(world.call('setTokenVersionMode', pin, { key: owner.key }));
    expect((await info()).primaryShareUrl).toBeNull();
    gateway.cut();
    const { sent } = await succeed(call);
    expect((await info()).primaryShareUrl).toBe(sent[0]!.shareUrl);
    const { firstToken, latestToken } = (
      await world.database.doc(`presentations/${deck.presentationId}`).get()
    ).data()!;
    expect([firstToken.tokenId, latestToken]).toEqual([tokenId, null]);
  });

  test('a deck that is deleted meanwhile gets no records', async () => {
    gateway.plan({ do: 'hang', reached: true });
    const call = share([someone()]);
    await gateway.hanging();
    await succeed(world.call('deletePresentation', { presentationId: deck.presentationId }, { key: owner.key }));
    gateway.cut();
    expect((await succeed(call)).summary.sent).toBe(1);
    expect(await stored('emailSends')).toEqual([]);
  });
});

describe('the list of sends', () => {
  test('is complete, newest first, in pages', async () => {
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
