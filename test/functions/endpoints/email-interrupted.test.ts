import { passSeconds } from '../../support/clock';
import {
  world,
  gateway,
  owner,
  deck,
  someone,
  aRetryKey,
  share,
  sends,
  unshare,
  info,
  tokenIn,
  look,
  stored,
  madeRecords,
  madeLinks,
  startMailing,
} from '../../support/mailing';
import { succeed } from '../../support/world';

startMailing('pro', 'Plans');

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
    const headers = aRetryKey();
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
    expect(await sends()).toHaveLength(1);
    expect(await madeLinks()).toHaveLength(1);
  });

  test.each(['one', 'all'])(
    'and whose links were revoked since (%s) gives a conflict at every retry',
    async (which) => {
      const headers = aRetryKey();
      const emails = [someone()];
      gateway.plan({ do: 'hang', reached: true });
      const first = share(emails, {}, headers);
      await gateway.hanging();
      const [{ tokenId }] = (await madeRecords()) as [{ tokenId: string }];
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
    const headers = aRetryKey();
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
    const [{ tokenId }] = (await madeRecords()) as [{ tokenId: string }];
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
    const headers = aRetryKey();
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

describe('revoking while mails go out', () => {
  test.each(['one', 'all'])('%s: the links stay revoked', async (which) => {
    gateway.plan({ do: 'hang', reached: true });
    const call = share([someone()]);
    await gateway.hanging();
    const [{ tokenId }] = (await madeRecords()) as [{ tokenId: string }];
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
    const [{ tokenId }] = (await madeRecords()) as [{ tokenId: string }];
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
