import { atOnce } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import {
  gateway,
  owner,
  deck,
  someone,
  aRetryKey,
  call,
  share,
  sends,
  unshare,
  info,
  tokenIn,
  look,
  stored,
  madeLinks,
  statuses,
  aHangingShare,
  closed,
  startMailing,
} from '../../support/mailing';
import { succeed, world } from '../../support/world';

/** Mailings that are interrupted, repeated, or overtaken by other calls. */

startMailing('pro', 'Plans');

const deckDoc = () => world.database.doc(`presentations/${deck.presentationId}`);

describe('a send whose instance stops', () => {
  test('before the mail is out leaves no link that opens or is listed', async () => {
    const { sending } = await aHangingShare(false, [someone(), someone()]);
    // The hanging call does not continue before the test ends it, like the call of a stopped instance.
    for (const days of [0, 10]) {
      passSeconds(days * 86_400);
      expect(await statuses(await madeLinks())).toEqual([404, 404]);
      expect((await info()).tokens.map(({ name }) => name)).toEqual(['default']);
    }
    jest.useRealTimers();
    gateway.cut();
    expect((await succeed(sending)).summary.sent).toBe(2);
  });

  test('after the mail is out is completed by a retry with its key: no address is mailed twice, and the link opens', async () => {
    const email = someone();
    const headers = aRetryKey();
    const { sending } = await aHangingShare(true, [email], { message: 'x' }, headers);
    const [token] = await madeLinks();
    expect((await world.mails(email))[0]!.text).toContain(token!);
    expect(await look(token!)).toBe(404);
    passSeconds(80_000);
    // The retry sends the same mail also when the deck, or a deploy the site, has changed since.
    await deckDoc().update({ title: 'Other' });
    const before = process.env['VIEWER_URL']!;
    process.env['VIEWER_URL'] = 'https://decks.example.org';
    const again = await succeed(share([email], { message: 'x' }, headers));
    process.env['VIEWER_URL'] = before;
    expect(gateway.calls[1]).toEqual(gateway.calls[0]);
    expect(tokenIn(again.sent[0]!.shareUrl)).toBe(token);
    expect(await world.mails(email)).toHaveLength(1);
    passSeconds(86_400);
    expect(await look(token!)).toBe(200);
    jest.useRealTimers();
    gateway.cut();
    expect(await succeed(sending)).toEqual(again);
    for (const made of [await world.mails(email), await sends(), await madeLinks()]) expect(made).toHaveLength(1);
  });

  test.each(['one', 'all'])('and whose links were revoked since (%s) gives a conflict at a retry', async (which) => {
    const retried = [[someone()], {}, aRetryKey()] as const;
    const { sending, tokenId } = await aHangingShare(true, ...retried);
    passSeconds(3600);
    const { revokedTokenIds } = await succeed(unshare(which === 'all' ? { all: true } : { tokenId }));
    expect(revokedTokenIds).toContain(tokenId);
    passSeconds(3600);
    expect((await share(...retried)).error.code).toBe('conflict');
    gateway.cut();
    await sending;
    expect(await statuses(await madeLinks())).toEqual([403]);
  });

  test('with an existing link that was revoked since sends no mail at a retry', async () => {
    const { tokenId } = deck;
    const retried = [[someone()], { tokenId }, aRetryKey()] as const;
    const { sending } = await aHangingShare(false, ...retried);
    await succeed(unshare({ tokenId }));
    expect((await share(...retried)).error.code).toBe('conflict');
    expect(gateway.calls).toHaveLength(1);
    gateway.cut();
    await sending;
  });
});

test('a link whose mail is being sent makes early visitors wait until it opens', async () => {
  delete process.env['HELD_LINK_PAUSE_MS'];
  const email = someone();
  const { sending, tokenId } = await aHangingShare(true, [email]);
  const url = new URL(/http\S+token=\S+/.exec((await world.mails(email))[0]!.text)![0]);
  const shown = fetch(`${world.cloud.baseUrl}/sharePage${url.pathname}${url.search}`);
  const frame = look(tokenIn(url.href));
  // The sending call does the same at its end.
  await deckDoc().collection('shareTokens').doc(tokenId).update({ isHeld: false });
  expect([(await shown).status, await frame]).toEqual([200, 200]);
  gateway.cut();
  await sending;
});

test.each(closed)(
  'a deck whose links open nothing since it %s is not mailed, not even by a retry',
  async (what, state) => {
    const headers = aRetryKey();
    const emails = [someone()];
    const { sending } = await aHangingShare(false, emails, {}, headers);
    await deckDoc().update(state);
    const message = expect.stringContaining(what) as string;
    for (const again of [{}, headers]) {
      expect((await share(emails, {}, again)).error).toMatchObject({ code: 'conflict', message });
    }
    expect(gateway.calls).toHaveLength(1);
    gateway.cut();
    await sending;
  },
);

describe('revoking while mails go out', () => {
  test.each(['one', 'all'])('%s: the links stay revoked', async (which) => {
    const { sending, tokenId } = await aHangingShare(true, [someone()]);
    const { revokedTokenIds } = await succeed(unshare(which === 'all' ? { all: true } : { tokenId }));
    expect(revokedTokenIds).toContain(tokenId);
    gateway.cut();
    const { sent } = await succeed(sending);
    expect(sent).toMatchObject([{ tokenId }]);
    expect(await look(tokenIn(sent[0]!.shareUrl))).toBe(403);
    expect((await info()).primaryShareUrl).toBe(which === 'all' ? null : deck.shareUrl);
  });

  test('a link that is held cannot be changed, and is listed only when its mail was sent', async () => {
    const { sending, tokenId } = await aHangingShare(true, [someone()]);
    await succeed(unshare({ tokenId: deck.tokenId }));
    const versionMode = { type: 'pinned', version: 1 };
    expect((await call('setTokenVersionMode', { tokenId, versionMode })).status).toBe(404);
    expect((await info()).primaryShareUrl).toBeNull();
    gateway.cut();
    const { sent } = await succeed(sending);
    expect((await info()).primaryShareUrl).toBe(sent[0]!.shareUrl);
    const { firstTokens, latestTokens } = (await deckDoc().get()).data()!;
    expect([firstTokens, latestTokens]).toMatchObject([[{ tokenId }], [{ tokenId }]]);
  });

  test('a deck that is deleted meanwhile gets no records', async () => {
    const { sending } = await aHangingShare(true, [someone()]);
    await succeed(call('deletePresentation'));
    gateway.cut();
    expect((await succeed(sending)).summary.sent).toBe(1);
    expect(await stored('emailSends')).toEqual([]);
  });
});

describe('an Idempotency-Key', () => {
  test('sends once, however many calls repeat or race', async () => {
    const email = someone();
    const headers = aRetryKey();
    const first = await succeed(share([email, 'nobody'], {}, headers));
    const again = await share([email, 'nobody'], {}, headers);
    expect([again.headers.get('idempotency-replayed'), again.data]).toEqual(['true', first]);
    expect((await share([someone()], {}, headers)).error.code).toBe('conflict');
    expect(await world.mails(email)).toHaveLength(1);

    const other = someone();
    const racing = aRetryKey();
    const answers = await atOnce(6, () => succeed(share([other], {}, racing)));
    expect(answers).toEqual(Array(6).fill(answers[0]));
    expect(await world.mails(other)).toHaveLength(1);
    expect(await sends()).toHaveLength(3);
    expect(await look(tokenIn(answers[0]!.sent[0]!.shareUrl))).toBe(200);
  });

  test('is unknown when the secret that sealed its answer is gone', async () => {
    const headers = aRetryKey();
    const input = { presentationId: deck.presentationId, tokenName: 'x' };
    const add = () => world.call<{ tokenId: string }>('addPresentationToken', input, { key: owner.key, headers });
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

  test('whose mails the provider got with other content is a conflict, and the call that sent them completes', async () => {
    const headers = aRetryKey();
    const emails = [someone()];
    gateway.plan({ do: 'hang', reached: true }, { do: 'answer', status: 409, name: 'invalid_idempotent_request' });
    const first = share(emails, {}, headers);
    await gateway.hanging();
    const nextAction = expect.stringContaining('another Idempotency-Key') as string;
    expect((await share(emails, {}, headers)).error).toMatchObject({ code: 'conflict', nextAction });
    gateway.cut();
    const { sent } = await succeed(first);
    expect(await look(tokenIn(sent[0]!.shareUrl))).toBe(200);
  });
});
