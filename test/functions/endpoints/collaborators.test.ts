import { atOnce, outcomes } from '../../support/answers';
import { each } from '../../support/each';
import { aSignup, invite, push, recordOf, rows, signUp, uninvite } from '../../support/invitations';
import { owner, deck, someone, call, startMailing } from '../../support/mailing';
import { succeed, type Account, world } from '../../support/world';

startMailing('free', 'Plans <b>&</b>\r\nBcc: eve@example.org');

interface Page {
  presentations: { id: string; role: string; updatedAt: string }[];
  nextCursor: string | null;
}
const decksOf = ({ key }: Account, query: Record<string, string> = {}) =>
  succeed(world.call<Page>('listMyPresentations', undefined, { key, query }));

describe('a collaborator', () => {
  test('with an account may push at once, lists the deck as dev, and gets no mail', async () => {
    const dev = await world.anOwner();
    const mailsBefore = (await world.mails(dev.email)).length;
    const { collaborator } = await succeed(invite(` ${dev.email.toUpperCase()} `));
    expect(collaborator).toMatchObject({ email: dev.email, role: 'dev', status: 'active', revokedAt: null });
    expect((await push(dev.key)).status).toBe(200);
    expect((await decksOf(dev)).presentations).toMatchObject([{ id: deck.presentationId, role: 'dev' }]);
    expect(await world.mails(dev.email)).toHaveLength(mailsBefore);
  });

  test('without an account is invited by mail, and may push as soon as the address has signed up', async () => {
    const email = someone();
    const { collaborator } = await succeed(invite(email, { message: 'Help <me>\nplease' }));
    expect(collaborator).toMatchObject({ status: 'pending', userId: null, activatedAt: null });
    const [mail] = await world.mails(email);
    expect(mail).toMatchObject({ to: [email], subject: expect.not.stringMatching(/[\r\n]/) as string });
    expect(mail!.html).toMatch(/Plans &lt;b>&amp;&lt;\/b>[^]*Help &lt;me>/);
    expect(mail!.text).toContain('> Help <me>\n> please');
    const dev = await signUp(email);
    expect(await rows()).toMatchObject([{ status: 'active', userId: null, displayName: null }]);
    expect((await push(dev.key)).status).toBe(200);
    const { collaboratorId } = collaborator;
    expect(await rows()).toMatchObject([{ collaboratorId, status: 'active', displayName: 'Dev Eloper' }]);
  });

  test('learns the deck and who invites by the link of the mail alone, until the invitation is withdrawn', async () => {
    const [invited, other] = [someone(), someone()];
    await succeed(invite(invited));
    await succeed(invite(other));
    const tokenOf = async (email: string) => /invitation=([\w-]+)/.exec((await world.mails(email))[0]!.text)![1]!;
    const read = (token: string) => world.call('getInvitation', undefined, { path: `/${token}` });
    const token = await tokenOf(invited);
    const { presentationId } = deck;
    const { title } = await succeed(
      world.call('getSharedPresentationInfo', undefined, { ...owner, path: `/${presentationId}` }),
    );
    const told = { presentationId, title, inviterName: 'Ada', organizationName: "Ada's workspace" };
    expect(await succeed(read(token))).toEqual(told);
    // The signature of another token: 21 characters are the last 15 of its 16 bytes.
    const mixed = token.slice(0, -21) + (await tokenOf(other)).slice(-21);
    expect(token).not.toBe(mixed);
    expect((await read(mixed)).status).toBe(404);
    await signUp(invited);
    expect(await succeed(read(token))).toEqual(told);
    await succeed(uninvite({ email: invited }));
    expect((await read(token)).error).toEqual(expect.objectContaining({ code: 'not-found' }));
  });

  test('is invited once, however many calls race, and gets no access when the invitation was withdrawn', async () => {
    const email = someone();
    const answers = await atOnce(4, () => succeed(invite(email)));
    expect(new Set(answers.map(({ collaborator }) => collaborator.collaboratorId)).size).toBe(1);
    expect(await rows()).toHaveLength(1);
    expect(await world.mails(email)).toHaveLength(1);
    await succeed(uninvite({ email }));
    expect((await push((await signUp(email)).key)).status).toBe(403);
  });

  test('is refused at the very next call after the access was revoked, and can be invited again', async () => {
    const dev = await world.anOwner();
    const { collaborator } = await succeed(invite(dev.email));
    const revoked = await succeed(uninvite({ collaboratorId: collaborator.collaboratorId }));
    expect(revoked.collaborator).toMatchObject({ status: 'revoked' });
    expect((await push(dev.key)).status).toBe(403);
    expect(await succeed(uninvite({ email: dev.email }))).toEqual(revoked);
    expect((await succeed(invite(dev.email))).collaborator).toMatchObject({ status: 'active', revokedAt: null });
    expect((await push(dev.key)).status).toBe(200);
    expect(await rows()).toHaveLength(1);
  });

  test('either has access or not when an invitation and its withdrawal race', async () => {
    const dev = await world.anOwner();
    await succeed(invite(dev.email));
    for (let round = 0; round < 3; round++) {
      await Promise.all([uninvite({ email: dev.email }), invite(dev.email)]);
      const [row] = await rows();
      expect((await push(dev.key)).status).toBe(row!.status === 'active' ? 200 : 403);
    }
  });

  test('who signs up during invitations and withdrawals is counted by the final state', async () => {
    for (let round = 0; round < 3; round++) {
      const email = someone();
      await succeed(invite(email));
      const body = await aSignup(email);
      const signingUp = succeed(world.call<{ apiKey: { raw: string } }>('cliCompleteSignup', body));
      await Promise.all([signingUp, uninvite({ email }), invite(email), uninvite({ email }), invite(email)]);
      const { raw } = (await signingUp).apiKey;
      const all = await rows();
      const row = all.find((one) => one.email === email)!;
      const count = (wanted: string) => all.filter(({ status }) => status === wanted).length;
      const record = await recordOf().get();
      expect(record.get('pendingInvitations')).toBe(count('pending'));
      expect(record.get('memberIds')).toHaveLength(1 + count('active'));
      expect((await push(raw)).status).toBe(row.status === 'active' ? 200 : 403);
      await succeed(uninvite({ email }));
      expect((await push(raw)).status).toBe(403);
      expect((await recordOf().get()).get('pendingInvitations')).toBe(0);
    }
  });

  test('is known to the owner by the address only, until the first call of the user on the deck', async () => {
    const dev = await world.anOwner();
    const unknown = { email: dev.email, status: 'active', userId: null, displayName: null };
    expect((await succeed(invite(dev.email))).collaborator).toMatchObject(unknown);
    await succeed(world.call('listMyPresentations', undefined, { key: dev.key }));
    // This call is refused: it is for the owner only.
    expect((await call('setPresentationExpiry', { expiresAt: null }, dev.key)).status).toBe(403);
    expect((await succeed(invite(dev.email))).collaborator).toMatchObject(unknown);
    expect(await rows()).toMatchObject([unknown]);

    expect(outcomes(await atOnce(5, () => push(dev.key)))).toEqual({ ok: 5 });
    const known = { ...unknown, userId: dev.userId, displayName: 'Ada' };
    expect(await rows()).toMatchObject([known]);
    expect((await recordOf().get()).get('unusedMemberIds')).toEqual([]);
    expect((await succeed(uninvite({ email: dev.email }))).collaborator).toMatchObject({ ...known, status: 'revoked' });
    expect((await succeed(invite(dev.email))).collaborator).toMatchObject(unknown);
  });

  test('may leave the deck, at once and for good, without becoming known to the owner', async () => {
    const dev = await world.anOwner();
    const leave = (key = dev.key) => call<{ presentationId: string; left: boolean }>('leavePresentation', {}, key);
    expect((await leave()).status).toBe(403);
    await succeed(invite(dev.email));
    expect((await leave(owner.key)).error).toMatchObject({ code: 'invalid-argument' });
    expect((await leave((await world.anOwner()).key)).status).toBe(403);
    const answers = [...(await atOnce(3, () => leave())), await leave()];
    expect(answers.map(({ data }) => data)).toEqual(Array(4).fill({ presentationId: deck.presentationId, left: true }));
    expect((await push(dev.key)).status).toBe(403);
    expect((await decksOf(dev)).presentations).toEqual([]);
    expect(await rows()).toMatchObject([{ email: dev.email, status: 'revoked', userId: null, displayName: null }]);
    expect((await recordOf().get()).get('memberIds')).toEqual([owner.userId]);
    expect((await leave(await world.anAdmin())).status).toBe(403);

    await succeed(invite(dev.email));
    await Promise.all([leave(), uninvite({ email: dev.email }), push(dev.key)]);
    expect((await recordOf().get()).get('memberIds')).toEqual([owner.userId]);
    expect(await rows()).toMatchObject([{ status: 'revoked' }]);
  });

  test('has the decks of others after the own ones, and no page skips or repeats one at the boundary', async () => {
    const dev = await world.anOwner();
    const decks: string[] = [];
    const sharers = [owner, await world.anOwner()];
    for (let i = 0; i < 9; i++) {
      const of = i % 3 === 0 ? dev : sharers[i % 2]!;
      const made = await world.aDeck(of);
      if (of !== dev) await world.addMember(made, dev);
      decks.push(made.presentationId);
      // Three decks have the same time of their last change.
      const updatedAt = new Date(Date.now() + (i < 6 ? i * 1000 : 60_000));
      await world.database.doc(`presentations/${made.presentationId}`).update({ updatedAt });
    }
    const list = (query: Record<string, string>) => decksOf(dev, query);
    const all = (await list({})).presentations;
    expect(all.map(({ role }) => role)).toEqual([...Array(3).fill('owner'), ...Array(6).fill('dev')]);
    expect(all.map(({ id }) => id).sort()).toEqual(decks.sort());
    const times = [all.slice(0, 3), all.slice(3)].map((part) => part.map(({ updatedAt }) => updatedAt));
    expect(times).toEqual(times.map((part) => part.toSorted().reverse()));
    for (const limit of [1, 2, 4, 10]) {
      const pages: Page[] = [];
      for (let cursor: string | null | undefined; cursor !== null; cursor = pages.at(-1)!.nextCursor) {
        pages.push(await list({ limit: String(limit), ...(cursor && { cursor }) }));
      }
      const expected = pages.map((_, i) => all.slice(i * limit, (i + 1) * limit));
      expect(pages.map(({ presentations }) => presentations)).toEqual(expected);
      expect(pages).toHaveLength(Math.ceil(9 / limit));
    }
    const onlyOwn = await list({ limit: '3' });
    const cost = await world.costOf(() => list({ limit: '3', cursor: onlyOwn.nextCursor! }));
    expect(cost.documentReads).toBeLessThanOrEqual(4 + 3 + 2);
    // A cursor tells no more than its page, and it stays valid when its deck is no longer shared.
    const cursor = (await list({ limit: '4' })).nextCursor!;
    const text = Buffer.from(cursor, 'base64url').toString();
    for (const { userId } of each(sharers)) expect(text).not.toContain(userId);
    await world.database.doc(`presentations/${all[3]!.id}`).update({ memberIds: [] });
    expect((await list({ cursor })).presentations).toEqual(all.slice(4));
  });

  test("cannot have the owner's own address, no address, or an invalid address", async () => {
    for (const email of [owner.email, '', 'nobody', undefined] as string[]) {
      expect((await invite(email)).status).toBe(400);
    }
    expect((await uninvite({})).status).toBe(400);
    expect((await uninvite({ email: someone() })).status).toBe(404);
  });

  test('is one of ten at most on the free plan, however many invitations race', async () => {
    expect(outcomes(await atOnce(14, () => invite(someone())))).toEqual({ ok: 10, conflict: 4 });
    const [first] = await rows();
    await succeed(uninvite({ collaboratorId: first!.collaboratorId }));
    expect((await invite(someone())).status).toBe(200);
  });
});
