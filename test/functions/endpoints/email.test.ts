import { randomUUID } from 'node:crypto';
import { listMailReports, listOpenMailCases } from '../../../functions/src/records/mail-reports';
import { hashKey, mintKey } from '../../../functions/src/values/keys';
import { openShareToken } from '../../../functions/src/values/share-tokens';
import { passSeconds } from '../../support/clock';
import { failing, startMailGateway, type MailGateway } from '../../support/mail-gateway';
import { page, sha256, succeed, World, type Account, type Answered, type Deck } from '../../support/world';
import { documentsWith } from '../../support/whole-store';

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
  // The functions read this variable at each send.
  process.env['RESEND_BASE_URL'] = gateway.url;
});
beforeEach(async () => {
  // A hanging call must not time out before the test closes its connection.
  process.env['MAIL_PATIENCE_SECONDS'] = '3600';
  // The pauses are as many as in the cloud and last one millisecond.
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
/** The provider's answer while it still works on an earlier call with the same key. */
const busy = { do: 'answer' as const, status: 409, name: 'concurrent_idempotent_requests' };
/** The provider is busy until the time limit of the sending call has passed. */
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
/** The tokens of the links made for addresses, read from the database. */
const madeLinks = async () =>
  (await stored())
    .filter(({ name }) => name !== 'default')
    .map(({ sealed }) => openShareToken([process.env['SERVICE_SECRET']!], deck.presentationId, sealed));
const info = () =>
  succeed(
    world.call<{ primaryShareUrl: string; tokens: { name: string; revoked: boolean; accessCount: number }[] }>(
      'getSharedPresentationInfo',
      undefined,
      { key: owner.key, query: { presentationId: deck.presentationId } },
    ),
  );

const refused = async (answer: Promise<Answered<Shared>>) => {
  const { status, error, headers } = await answer;
  expect([status, error.code]).toEqual([429, 'rate-limited']);
  expect(headers.get('retry-after')).toBe(String(error.details!['retryInSeconds']));
  return error.details!;
};

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

  test('gives a deck without live links a primary link again', async () => {
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
    expect((await succeed(list())).sends).toMatchObject([{ sentBy: 'admin-1', keyId: 'admin-1' }]);
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
    const { sends } = await succeed(list());
    expect(sends.map(({ email, outcome, code }) => [email, outcome, code]).reverse()).toEqual([
      ['nobody', 'failed', 'invalid-email'],
      [refused, 'failed', 'provider-rejected'],
      ['', 'failed', 'invalid-email'],
      [good, 'sent', null],
      ['a@b\r\nbcc: c@d.org', 'failed', 'invalid-email'],
    ]);
  });

  test('is reported as failed even when it is the only one, without a call to the provider', async () => {
    const { status, data } = await share(['nobody']);
    expect([status, data.summary]).toEqual([200, { total: 1, sent: 0, failed: 1 }]);
    expect(gateway.calls).toEqual([]);
  });

  test('fails alone however long it is, and its record is short', async () => {
    const good = someone();
    const data = await succeed(share([`${'x'.repeat(20_000)}@example.org`, good, '😀'.repeat(10_000)]));
    expect(data.sent).toMatchObject([{ email: good }]);
    expect(data.failed.map(({ code }) => code)).toEqual(['invalid-email', 'invalid-email']);
    const { sends } = await succeed(list());
    for (const { email } of sends) expect(email!.length).toBeLessThanOrEqual(300);
    expect(sends.map(({ email }) => email).reverse()).toEqual([data.failed[0]!.email, good, data.failed[1]!.email]);
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
    expect((await succeed(list())).sends).toMatchObject([
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

  test('a provider that fails does not use up the rate limit', async () => {
    const email = someone();
    for (let i = 0; i < 4; i++) {
      gateway.plan(...failing(429, 'rate_limit_exceeded'));
      expect((await succeed(share([email]))).failed[0]!.code).toBe('provider-rate-limited');
    }
    expect((await succeed(share([email]))).summary.sent).toBe(1);
  });
});

describe('a send whose instance stops', () => {
  test('before the mail is out leaves no link that opens or is listed', async () => {
    gateway.plan({ do: 'hang', reached: false });
    const call = share([someone(), someone()]);
    await gateway.hanging();
    // The hanging call does not continue before the test ends it, like the call of a stopped instance.
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

  test('after the mail is out is completed by a retry with its key: no address is mailed twice, and the link opens', async () => {
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
    // The retry sends the same mail even when the deck has changed since.
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

  test.each(['one', 'all'])(
    'and whose links were revoked since (%s) gives a conflict at every retry',
    async (which) => {
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
      const answers = await Promise.all((await madeLinks()).map(look));
      expect(answers).toEqual(emails.map(() => 403));
    },
  );

  test('with an existing link that was revoked since sends no mail at a retry', async () => {
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
  test('makes early visitors wait until it opens', async () => {
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
    // The sending call does the same at its end.
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
  test.each(closed)('since it %s is not mailed, not even by a retry of an interrupted call', async (what, state) => {
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

  test('is not confused with a deck that expires in the future, which is mailed', async () => {
    await world.database
      .doc(`presentations/${deck.presentationId}`)
      .update({ expiresAt: new Date(Date.now() + 60_000) });
    expect((await succeed(share([someone()]))).summary.sent).toBe(1);
  });
});

describe('an Idempotency-Key', () => {
  test('sends once, however many calls repeat or race', async () => {
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

  test.each([429, 503])('sends later what the provider refused with %d, and then never again', async (status) => {
    const headers = { 'idempotency-key': randomUUID() };
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
    expect((await succeed(list())).sends.map(({ outcome }) => outcome)).toEqual(['sent', 'sent', 'failed', 'failed']);
  });

  test('sends no second mail when the provider accepted the mails and every answer of the first call was lost', async () => {
    const headers = { 'idempotency-key': randomUUID() };
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
    const headers = { 'idempotency-key': randomUUID() };
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

  test('is not needed: two calls without it send twice', async () => {
    const email = someone();
    await succeed(share([email]));
    await succeed(share([email]));
    expect(await world.mails(email)).toHaveLength(2);
  });

  test('of a call that is still sending is a conflict, and no mail is lost', async () => {
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

  test('sends identical mails when the retry comes after a deploy that changed the site and the template', async () => {
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

  test('whose mails the provider got with other content is a conflict, and the call that sent them completes', async () => {
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
    'stores its mails in one document, even twenty mails full of %j',
    async (text) => {
      const title = text.trim() ? text.repeat(255 / text.length) : 'Plans';
      const full = await world.aDeck(owner, [page('one')], title);
      const headers = { 'idempotency-key': randomUUID() };
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
    expect((await succeed(list())).sends).toMatchObject([{ email, outcome: 'sent' }]);
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
      const { sends } = await succeed(list());
      expect(sends.map(({ code }) => code)).toEqual([null, 'provider-unavailable', 'provider-unavailable', null, null]);
    },
  );
});

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

  test('do not count replays or invalid addresses', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const emails = many(20);
    for (let i = 0; i < 6; i++) await succeed(share(emails, {}, headers));
    for (let i = 0; i < 6; i++) await succeed(share(['nobody', 'no one']));
    for (let i = 0; i < 4; i++) await succeed(share(many(20)));
    await refused(share(many(1)));
  });

  test('also limit calls that send no mail, and their records are small', async () => {
    const mailWindow = world.database.doc(`mailWindows/${owner.organizationId}`);
    const noise = Array.from({ length: 145 }, () => ({ sendId: randomUUID(), at: new Date(), recipients: [] }));
    await mailWindow.set({ sends: noise, expiresAt: new Date() });
    gateway.plan(...failing(429, 'rate_limit_exceeded'), ...failing(429, 'rate_limit_exceeded'));
    const retried = [[someone()], {}, { 'idempotency-key': randomUUID() }] as const;
    for (let i = 0; i < 2; i++) {
      expect((await succeed(share(...retried))).failed[0]!.code).toBe('provider-rate-limited');
    }
    for (let i = 0; i < 3; i++) await succeed(share(['nobody']));
    expect(await refused(share(...retried))).toMatchObject({ limit: 150, windowSeconds: 3600 });
    expect((await succeed(list())).sends).toHaveLength(5);
    expect(await refused(share(['nobody']))).toMatchObject({ limit: 150, windowSeconds: 3600 });
    expect(await refused(share(many(1)))).toMatchObject({ limit: 150, windowSeconds: 3600 });
    passSeconds(3600);
    await succeed(share(many(1)));
    // This call, and the one that the provider did not accept.
    expect((await mailWindow.get()).get('sends')).toHaveLength(2);
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

  test('a link that is pinned meanwhile stays pinned, and is listed only when its mail was sent', async () => {
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

describe('the links of a mail', () => {
  const tokenOf = (text: string) => /\/mail\/([\w-]{86})/.exec(text)![1]!;
  /** The token of a mail that the owner has just sent to the address. */
  const aMail = async (email: string, key = owner.key, presentationId = deck.presentationId) => {
    await succeed(share([email], { presentationId }, {}, key));
    return tokenOf((await world.mails(email))[0]!.text);
  };
  const visit = async (token: string, query = '', init: RequestInit = {}) => {
    const response = await fetch(`${world.cloud.hostingUrl}/mail/${token}${query}`, { redirect: 'error', ...init });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const post = (token: string, query = '') => visit(token, query, { method: 'POST' });
  const outcome = async (email: string, key = owner.key, presentationId = deck.presentationId) => {
    const { sent, failed } = await succeed(share([email], { presentationId }, {}, key));
    return failed[0]?.code ?? (sent.length === 1 && 'sent');
  };

  test('name the sender, say why the mail came, and are in the headers for one click', async () => {
    const email = someone();
    const token = await aMail(email);
    const invited = someone();
    await succeed(
      world.call('inviteCollaborator', { presentationId: deck.presentationId, email: invited }, { key: owner.key }),
    );
    for (const to of [email, invited]) {
      const [mail] = (await world.mails(to)) as unknown as [Record<string, string> & { headers: object }];
      const page = `${world.cloud.hostingUrl}/mail/${tokenOf(mail.text!)}`;
      expect(mail.headers).toMatchObject({
        'List-Unsubscribe': `<${page}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      });
      for (const content of [mail.text!, mail.html!]) {
        expect(content).toContain("Stop mails from Ada's workspace");
        expect(content).toContain(owner.email);
        expect(content).toContain('You get this mail because');
        for (const link of [page, `${page}?choice=all`, `${page}?choice=report`]) expect(content).toContain(link);
      }
    }
    expect(await world.mails(owner.email)).toEqual([]);
    const page = await visit(token);
    expect([page.status, page.headers.get('cache-control'), page.headers.get('x-robots-tag')]).toEqual([
      ...[200, 'no-store', 'noindex'],
    ]);
    expect(page.text).toContain("Ada's workspace");
    expect(page.text).not.toContain('<script');
  });

  test('a POST without anything else stops the mails of that organization, and a GET changes nothing', async () => {
    const email = someone();
    const token = await aMail(email);
    const other = await world.anOwner('pro');
    const { presentationId } = await world.aDeck(other);
    for (const query of ['?choice=resume', '', '?choice=all', '?choice=report&reason=spam']) {
      expect((await visit(token, query)).status).toBe(200);
      expect((await visit(token, query, { method: 'HEAD' })).status).toBe(200);
    }
    expect(await outcome(email)).toBe('sent');
    // As mail programs send it: a body that the call does not take, and no redirect.
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    for (let i = 0; i < 2; i++) {
      const click = await visit(token, '', { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' });
      expect([click.status, click.text.includes('are stopped')]).toEqual([200, true]);
    }
    const before = (await stored()).length;
    expect(await outcome(email)).toBe('recipient-suppressed');
    expect(await stored()).toHaveLength(before);
    expect(await outcome(email, other.key, presentationId)).toBe('sent');
    expect((await post(token, '?choice=all')).text).toContain('All mails are stopped');
    expect(await outcome(email, other.key, presentationId)).toBe('recipient-suppressed');
    expect(await outcome(email)).toBe('recipient-suppressed');
    const { sends } = await succeed(list());
    expect(sends[0]).toMatchObject({ email, outcome: 'failed', code: 'recipient-suppressed', tokenId: null });
    expect(await world.mails(email)).toHaveLength(3);
    expect((await post(token, '?choice=resume')).text).toContain('You get mails again');
    expect([await outcome(email), await outcome(email, other.key, presentationId)]).toEqual(['sent', 'sent']);
    const records = await world.database.collection('mailRecipients').get();
    expect(JSON.stringify(records.docs.map((each) => [each.id, each.data()]))).not.toContain(email);
  });

  test('a sender who has the link of a mail cannot take back what its recipient stopped in the mail of another', async () => {
    const email = someone();
    const other = await world.anOwner('pro');
    const { presentationId } = await world.aDeck(other);
    const token = await aMail(email);
    const outcomes = async () => [await outcome(email), await outcome(email, other.key, presentationId)];
    await succeed(share([email], { presentationId }, {}, other.key));
    const others = tokenOf((await world.mails(email)).find(({ subject }) => subject.startsWith(other.email))!.text);
    expect((await post(others, '?choice=all')).text).toContain('within 10 minutes');
    await post(others);
    passSeconds(600);
    const page = await post(token, '?choice=resume');
    expect(page.text).toContain('All mails stay stopped');
    expect(page.text).not.toContain('choice=resume');
    expect(await outcomes()).toEqual(['recipient-suppressed', 'recipient-suppressed']);
    const recipientId = Buffer.from(token, 'base64url').subarray(0, 16).toString('hex');
    await world.database.doc(`mailRecipients/${recipientId}`).update({ stoppedAllAt: null });
    expect((await post(token, '?choice=resume')).text).toContain('You get mails again');
    expect(await outcomes()).toEqual(['sent', 'recipient-suppressed']);
  });

  test('limits and stops hold for a mailbox, however its address is written, and mails go to the address as written', async () => {
    const [name, other] = [randomUUID(), await world.anOwner('pro')];
    const { presentationId } = await world.aDeck(other);
    const written = (part: string) => `friend-${name}+${part}@example.org`;
    const five = ['1', '2', '3', '4', '5'].map(written);
    expect(await refused(share(five.slice(0, 4)))).toMatchObject({ limit: 3, emails: five.slice(0, 4) });
    const { sent } = await succeed(share(five.slice(0, 3)));
    expect(sent.map(({ email }) => email)).toEqual(five.slice(0, 3));
    expect(gateway.calls.at(-1)!.mails.map(({ to }) => to)).toEqual(five.slice(0, 3));
    expect(await refused(share(five.slice(3, 4)))).toMatchObject({ limit: 3, emails: [five[3]] });
    await refused(share(five.slice(0, 3), { presentationId: (await world.aDeck(owner)).presentationId }));
    await post(tokenOf((await world.mails(five[0]!))[0]!.text), '?choice=all');
    for (const email of [five[4]!, written('1').replace('+1', '')]) {
      expect(await outcome(email, other.key, presentationId)).toBe('recipient-suppressed');
    }

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
    expect(failed).toEqual([
      { email: stopped, code: 'recipient-suppressed', message: 'This address accepts no such mail.' },
      expect.objectContaining({ email: 'nobody', code: 'invalid-email' }),
    ]);
    // 2 of 20 mails of the day are sent. A call needs room for all of its addresses and uses it for the mailed ones.
    expect(await refused(share([stopped, ...many(18)]))).toMatchObject({ limit: 20 });
    expect((await succeed(share([stopped, ...many(17)]))).summary).toEqual({ total: 18, sent: 17, failed: 1 });
    expect((await succeed(share([stopped]))).summary).toEqual({ total: 1, sent: 0, failed: 1 });
    await succeed(share([someone()]));
    // Without room, the answers for an address that stopped its mails and for another one are alike.
    const invite = (email: string): Promise<Answered<Shared>> =>
      world.call('inviteCollaborator', { presentationId: deck.presentationId, email }, { key: owner.key });
    for (const call of [(email: string) => share([email]), invite]) {
      for (const email of [stopped, someone()]) expect(await refused(call(email))).toMatchObject({ limit: 20 });
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
    const { status, error } = await again(key);
    expect([status, error.code, error.nextAction]).toEqual([
      ...[409, 'conflict', 'Send again with another Idempotency-Key.'],
    ]);
    expect(gateway.calls).toHaveLength(calls);
    const data = await succeed(again(randomUUID()));
    expect([data.sent[0]!.email, data.failed[0]!.code]).toEqual([good, 'recipient-suppressed']);
    expect([(await world.mails(stopped)).length, (await world.mails(good)).length]).toEqual([1, 1]);
  });

  test('an invitation of an address that stopped its mails makes the row and sends nothing', async () => {
    const email = someone();
    await post(await aMail(email), '?choice=all');
    const invite = () =>
      succeed(
        world.call<{ collaborator: object }>(
          'inviteCollaborator',
          { presentationId: deck.presentationId, email },
          { key: owner.key },
        ),
      );
    const first = await invite();
    expect(first.collaborator).toMatchObject({ email, status: 'pending', revokedAt: null });
    passSeconds(61);
    expect(await invite()).toEqual(first);
    expect(await world.mails(email)).toHaveLength(1);
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
    const changed = Array.from({ length: bytes.length }, (_, i) => {
      const copy = Buffer.from(bytes);
      copy[i]! ^= 1;
      return copy.toString('base64url');
    });
    const cost = await world.costOf(async () => {
      for (const wrong of [...changed, 'x', `${token}x`, `${token}/x`, '', '%2f', bytes.toString('hex')]) {
        for (const method of ['GET', 'POST']) {
          const response = await fetch(`${world.cloud.baseUrl}/mailPage/${wrong}`, { method });
          expect(response.status).toBe(404);
          expect(await response.text()).toContain('This link is not valid');
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
    for (const { status, text } of answers)
      expect([status, text.includes('received your report')]).toEqual([200, true]);
    const { organizationId } = owner;
    const { presentationId } = deck;
    const reports = await listMailReports(organizationId);
    expect(reports).toMatchObject([{ presentationId }]);
    // A report does not stop the mails.
    expect(await outcome(email)).toBe('sent');

    // Ten reports for the reason `other` in each place.
    const found = world.database.doc(`mailReports/${organizationId}`);
    const batch = world.database.batch();
    const junk = { reason: 'other', presentationId, reportedAt: new Date(0) };
    for (let i = 0; i < 20; i++) {
      const place = { counts: { other: 10 }, reporters: [], reports: [junk, junk] };
      batch.set(found.collection('reportedMails').doc(`place-${i}`), place);
    }
    batch.update(found, { 'counts.other': 200, lastReportedAt: new Date(0) });
    await batch.commit();
    await report(await aMail(someone()), 'impersonation');
    const { counts, lastReportedAt } = (await listOpenMailCases(100)).find(
      (each) => each.organizationId === organizationId,
    )!;
    expect(counts).toEqual({ [reports[0]!.reason]: 1, other: 200, impersonation: 1 });
    expect(lastReportedAt.getTime()).toBeGreaterThan(0);
    const listed = (await listMailReports(organizationId)).map(({ reason }) => reason);
    expect(listed).toHaveLength(41);
    expect(listed).toContain('impersonation');
  });

  test('a change of the service secret forgets no stop, and the links of earlier mails still work', async () => {
    const [stopped, other, third] = [someone(), someone(), someone()];
    await post(await aMail(stopped));
    const [token, thirdToken] = [await aMail(other), await aMail(third)];
    const before = process.env['SERVICE_SECRET']!;
    const next = randomUUID();
    const list = world.database.doc('recipientKeys/current');
    const use = (secrets: string) => (process.env['SERVICE_SECRET'] = secrets);
    try {
      // One function is deployed with the new secret in front of the old one. The others still have the old one.
      for (const secrets of [`${next}\n${before}`, before, `${next}\n${before}`, before]) {
        use(secrets);
        expect(await outcome(stopped)).toBe('recipient-suppressed');
        expect((await post(token, '?choice=resume')).status).toBe(200);
      }
      expect((await list.get()).get('sealed')).toHaveLength(2);

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
    const recipientId = Buffer.from(token, 'base64url').subarray(0, 16).toString('hex');
    const record = world.database.doc(`mailRecipients/${recipientId}`);
    const stopped = Array.from({ length: 500 }, (_, i) => ({ organizationId: `other-${i}`, at: new Date() }));
    await record.update({ stopped });
    expect((await post(token)).status).toBe(200);
    expect((await record.get()).data()).toMatchObject({
      stopped: { length: 500 },
      stoppedAllAt: expect.anything(),
    });
    expect(await outcome(email)).toBe('recipient-suppressed');
  });
});
