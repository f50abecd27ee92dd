import { randomUUID } from 'node:crypto';
import { FieldValue } from 'firebase-admin/firestore';
import { passSeconds } from '../../support/clock';
import { failing, startMailGateway, type MailGateway } from '../../support/mail-gateway';
import { page, sha256, succeed, World, type Account, type Deck } from '../../support/world';

interface Row {
  collaboratorId: string;
  email: string;
  userId: string | null;
  displayName: string | null;
  role: string;
  status: string;
  activatedAt: string | null;
  revokedAt: string | null;
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
  gateway.reset();
  owner = await world.anOwner();
  deck = await world.aDeck(owner, [page()], 'Plans <b>&</b>\r\nBcc: eve@example.org');
});
afterAll(async () => {
  await gateway.close();
  await world.stop();
});

const anAddress = () => `dev-${randomUUID()}@example.org`;
const call = <T>(name: string, body: object, key = owner.key) =>
  world.call<T>(name, { presentationId: deck.presentationId, ...body }, { key });
const invite = (email: string, more: object = {}) =>
  call<{ collaborator: Row }>('inviteCollaborator', { email, ...more });
const uninvite = (body: object) => call<{ collaborator: Row }>('uninviteCollaborator', body);
const rows = async () => (await succeed(call<{ collaborators: Row[] }>('listCollaborators', {}))).collaborators;
const push = (key: string) =>
  world.call('precheckAssets', { presentationId: deck.presentationId, hashes: [] }, { key });
const stored = (path = '') => world.database.doc(`presentations/${deck.presentationId}${path}`);
const rowOf = (email: string) => stored(`/collaborators/${sha256(email)}`);
async function signUp(email: string): Promise<Account> {
  await succeed(world.call('cliRequestSignupOtp', { email }, { headers: { 'x-forwarded-for': randomUUID() } }));
  const body = { email, code: await world.mailedCode(email), user: { firstName: 'Dev', lastName: 'Eloper' } };
  const data = await succeed(
    world.call<{ organizationId: string; apiKey: { raw: string; keyId: string } }>('cliCompleteSignup', body),
  );
  const { userId } = (await world.database.doc(`apiKeys/${sha256(data.apiKey.raw)}`).get()).data()!;
  return { email, key: data.apiKey.raw, keyId: data.apiKey.keyId, userId, organizationId: data.organizationId };
}

describe('a collaborator', () => {
  test('with an account may push at once, lists the deck as dev, and gets no mail', async () => {
    const dev = await world.anOwner();
    const mailsBefore = (await world.mails(dev.email)).length;
    const { collaborator } = await succeed(invite(` ${dev.email.toUpperCase()} `));
    expect(collaborator).toMatchObject({
      email: dev.email,
      role: 'dev',
      status: 'active',
      revokedAt: null,
    });
    expect((await push(dev.key)).status).toBe(200);
    const list = await succeed(
      world.call<{ presentations: object[] }>('listMyPresentations', undefined, { key: dev.key }),
    );
    expect(list.presentations).toMatchObject([{ id: deck.presentationId, role: 'dev' }]);
    expect(await world.mails(dev.email)).toHaveLength(mailsBefore);
  });

  test('without an account is invited by mail, and may push as soon as the address has signed up', async () => {
    const email = anAddress();
    const { collaborator } = await succeed(invite(email, { message: 'Help <me>\nplease' }));
    expect(collaborator).toMatchObject({ status: 'pending', userId: null, activatedAt: null });
    const [mail] = await world.mails(email);
    expect(mail!.subject).not.toMatch(/[\r\n]/);
    expect(mail!.to).toEqual([email]);
    expect(mail!.html).toContain('Plans &lt;b>&amp;&lt;/b>');
    expect(mail!.html).toContain('Help &lt;me>');
    expect(mail!.text).toContain('> Help <me>\n> please');
    const dev = await signUp(email);
    expect(await rows()).toMatchObject([{ status: 'active', userId: null, displayName: null }]);
    expect((await push(dev.key)).status).toBe(200);
    expect(await rows()).toMatchObject([
      { collaboratorId: collaborator.collaboratorId, status: 'active', displayName: 'Dev Eloper' },
    ]);
  });

  test('is invited once: a repeated invitation changes nothing and mails nothing', async () => {
    const email = anAddress();
    const answers = await Promise.all([1, 2, 3, 4].map(() => succeed(invite(email))));
    expect(new Set(answers.map(({ collaborator }) => collaborator.collaboratorId)).size).toBe(1);
    expect(await rows()).toHaveLength(1);
    expect(await world.mails(email)).toHaveLength(1);
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

  test('whose invitation was withdrawn gets no access by signing up', async () => {
    const email = anAddress();
    await succeed(invite(email));
    await succeed(uninvite({ email }));
    const dev = await signUp(email);
    expect((await push(dev.key)).status).toBe(403);
  });

  test('either has access or not when an invitation and its withdrawal race', async () => {
    const dev = await world.anOwner();
    await succeed(invite(dev.email));
    for (let round = 0; round < 5; round++) {
      await Promise.all([uninvite({ email: dev.email }), invite(dev.email)]);
      const [row] = await rows();
      expect((await push(dev.key)).status).toBe(row!.status === 'active' ? 200 : 403);
    }
  });

  test('who signs up during invitations and withdrawals is counted by the final state', async () => {
    for (let round = 0; round < 3; round++) {
      const email = anAddress();
      await succeed(invite(email));
      await succeed(world.call('cliRequestSignupOtp', { email }, { headers: { 'x-forwarded-for': randomUUID() } }));
      const body = { email, code: await world.mailedCode(email), user: { firstName: 'Dev' } };
      const [signup] = await Promise.all([
        succeed(world.call<{ apiKey: { raw: string } }>('cliCompleteSignup', body)),
        uninvite({ email }),
        invite(email),
        uninvite({ email }),
        invite(email),
      ]);
      const row = (await rows()).find((each) => each.email === email)!;
      const deckRow = (await stored().get()).data()!;
      const all = await rows();
      expect(deckRow['pendingInvitations']).toBe(all.filter(({ status }) => status === 'pending').length);
      expect(deckRow['memberIds']).toHaveLength(1 + all.filter(({ status }) => status === 'active').length);
      expect((await push(signup.apiKey.raw)).status).toBe(row.status === 'active' ? 200 : 403);
      await succeed(uninvite({ email }));
      expect((await push(signup.apiKey.raw)).status).toBe(403);
      expect((await stored().get()).get('pendingInvitations')).toBe(0);
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

    const answers = await Promise.all(Array.from({ length: 5 }, () => push(dev.key)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const known = { ...unknown, userId: dev.userId, displayName: 'Ada' };
    expect(await rows()).toMatchObject([known]);
    expect((await stored().get()).get('unusedMemberIds')).toEqual([]);
    expect((await succeed(uninvite({ email: dev.email }))).collaborator).toMatchObject({ ...known, status: 'revoked' });
    expect((await succeed(invite(dev.email))).collaborator).toMatchObject(unknown);
  });

  test('whose row was stored before first uses were noted stays known to the owner', async () => {
    const dev = await world.anOwner();
    await succeed(invite(dev.email));
    await rowOf(dev.email).update({ isUnused: FieldValue.delete() });
    await stored().update({ unusedMemberIds: FieldValue.delete() });
    expect(await rows()).toMatchObject([{ status: 'active', userId: dev.userId, displayName: 'Ada' }]);
    expect((await push(dev.key)).status).toBe(200);
    expect(await succeed(call<object>('leavePresentation', {}, dev.key))).toMatchObject({ left: true });
  });

  test('may leave the deck, at once and for good, without becoming known to the owner', async () => {
    const dev = await world.anOwner();
    const leave = (key = dev.key) => call<{ presentationId: string; left: boolean }>('leavePresentation', {}, key);
    expect((await leave()).status).toBe(403);
    await succeed(invite(dev.email));
    expect((await leave(owner.key)).error).toMatchObject({ code: 'invalid-argument' });
    expect((await leave((await world.anOwner()).key)).status).toBe(403);
    const answers = await Promise.all([leave(), leave(), leave()]);
    for (const { data } of [...answers, await leave()]) {
      expect(data).toEqual({ presentationId: deck.presentationId, left: true });
    }
    expect((await push(dev.key)).status).toBe(403);
    const listed = await succeed(
      world.call<{ presentations: object[] }>('listMyPresentations', undefined, { key: dev.key }),
    );
    expect(listed.presentations).toEqual([]);
    expect(await rows()).toMatchObject([{ email: dev.email, status: 'revoked', userId: null, displayName: null }]);
    expect((await stored().get()).get('memberIds')).toEqual([owner.userId]);
    expect((await leave(await world.anAdmin())).status).toBe(403);

    await succeed(invite(dev.email));
    await Promise.all([leave(), uninvite({ email: dev.email }), push(dev.key)]);
    expect((await stored().get()).get('memberIds')).toEqual([owner.userId]);
    expect(await rows()).toMatchObject([{ status: 'revoked' }]);
  });

  test('has the decks of others after the own ones, and no page skips or repeats one at the boundary', async () => {
    const dev = await world.anOwner();
    const decks: Deck[] = [];
    const sharers = [owner, await world.anOwner()];
    for (let i = 0; i < 9; i++) {
      const of = i % 3 === 0 ? dev : sharers[i % 2]!;
      const made = await world.aDeck(of);
      if (of !== dev) await world.addMember(made, dev);
      decks.push(made);
      // Three decks have the same time of their last change.
      const updatedAt = new Date(Date.now() + (i < 6 ? i * 1000 : 60_000));
      await world.database.doc(`presentations/${made.presentationId}`).update({ updatedAt });
    }
    interface Page {
      presentations: { id: string; role: string; updatedAt: string }[];
      nextCursor: string | null;
    }
    const list = (query: Record<string, string>) =>
      succeed(world.call<Page>('listMyPresentations', undefined, { key: dev.key, query }));
    const all = (await list({})).presentations;
    expect(all.map(({ role }) => role)).toEqual([...Array(3).fill('owner'), ...Array(6).fill('dev')]);
    expect(new Set(all.map(({ id }) => id))).toEqual(new Set(decks.map(({ presentationId }) => presentationId)));
    for (const part of [all.slice(0, 3), all.slice(3)]) {
      const times = part.map(({ updatedAt }) => updatedAt);
      expect(times).toEqual([...times].sort().reverse());
    }
    for (let limit = 1; limit <= 10; limit++) {
      const pages: Page[] = [];
      for (let cursor: string | null | undefined; cursor !== null; cursor = pages.at(-1)!.nextCursor) {
        pages.push(await list({ limit: String(limit), ...(cursor && { cursor }) }));
      }
      expect(pages.flatMap(({ presentations }) => presentations)).toEqual(all);
      // No page is empty, and only the last one may be short.
      expect(pages.map(({ presentations }) => presentations.length)).toEqual([
        ...Array(Math.ceil(9 / limit) - 1).fill(limit),
        9 % limit || limit,
      ]);
    }
    const onlyOwn = await list({ limit: '3' });
    const cost = await world.costOf(() => list({ limit: '3', cursor: onlyOwn.nextCursor! }));
    expect(cost.documentReads).toBeLessThanOrEqual(4 + 3 + 2);
    for (const cursor of ['x', 'shared', Buffer.from('1.x').toString('base64url')]) {
      expect((await world.call('listMyPresentations', undefined, { key: dev.key, query: { cursor } })).status).toBe(
        400,
      );
    }
    // A cursor tells no more than its page, and it stays valid when its deck is no longer shared.
    const cursor = (await list({ limit: '4' })).nextCursor!;
    const text = Buffer.from(cursor, 'base64url').toString();
    for (const { userId } of sharers) expect(text).not.toContain(userId);
    const earlierVersion = Buffer.from(text.replace('shared', sharers[1]!.userId)).toString('base64url');
    expect((await list({ cursor: earlierVersion })).presentations).toEqual(all.slice(4));
    await world.database.doc(`presentations/${all[3]!.id}`).update({ memberIds: [] });
    expect((await list({ cursor })).presentations).toEqual(all.slice(4));
  });

  test("cannot have the owner's own address, no address, or an invalid address", async () => {
    for (const email of [owner.email, '', 'nobody', undefined])
      expect((await invite(email as string)).status).toBe(400);
    expect((await uninvite({})).status).toBe(400);
    expect((await uninvite({ email: anAddress() })).status).toBe(404);
  });

  test('is one of ten at most on the free plan, however many invitations race', async () => {
    const answers = await Promise.all(Array.from({ length: 14 }, () => invite(anAddress())));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ error }) => error.code))).toEqual(
      new Set(['conflict']),
    );
    const [first] = await rows();
    await succeed(uninvite({ collaboratorId: first!.collaboratorId }));
    expect((await invite(anAddress())).status).toBe(200);
  });
});

describe('the mails of invitations', () => {
  test('are at most three a day to one address, however often it is invited again', async () => {
    const email = anAddress();
    for (let i = 0; i < 3; i++) {
      await succeed(invite(email));
      await succeed(uninvite({ email }));
    }
    const { status, error, headers } = await invite(email);
    expect([status, error.code, error.details]).toMatchObject([429, 'rate-limited', { limit: 3, emails: [email] }]);
    expect(headers.get('retry-after')).toBe(String(error.details!['retryInSeconds']));
    expect(await rows()).toMatchObject([{ status: 'revoked' }]);
    expect(await world.mails(email)).toHaveLength(3);
    passSeconds(86_400);
    expect((await invite(email)).status).toBe(200);
  });

  test('that the provider did not take give back their own room, and not that of the mails before', async () => {
    const email = anAddress();
    const inviteAndTakeBack = async () => {
      await succeed(invite(email));
      await succeed(uninvite({ email }));
    };
    await inviteAndTakeBack();
    gateway.plan(...failing(500, 'internal_server_error'));
    expect((await invite(email)).status).toBe(500);
    await inviteAndTakeBack();
    await inviteAndTakeBack();
    const { status, error } = await invite(email);
    expect([status, error.details]).toMatchObject([429, { limit: 3, emails: [email] }]);
  });

  test('count to what the organization may mail, together with shares by mail', async () => {
    const emails = Array.from({ length: 20 }, anAddress);
    const createdAt = new Date(Date.now() - 7 * 86_400_000);
    await world.database.doc(`organizations/${owner.organizationId}`).update({ createdAt });
    for (let i = 0; i < 2; i++) await succeed(call('sharePresentationViaEmail', { emails }));
    const invited = await Promise.all(Array.from({ length: 10 }, () => invite(anAddress())));
    expect(invited.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    const first = await rows();
    await succeed(uninvite({ collaboratorId: first[0]!.collaboratorId }));
    expect((await invite(anAddress())).error.details).toMatchObject({ limit: 50, windowSeconds: 86_400 });
    // An address with an account gets no mail.
    expect((await invite((await world.anOwner()).email)).status).toBe(200);
  });

  test('count as mails about their deck, together with shares by mail', async () => {
    const email = anAddress();
    for (let i = 0; i < 2; i++) await succeed(call('sharePresentationViaEmail', { emails: [email] }));
    await succeed(invite(email));
    await succeed(uninvite({ email }));
    expect((await invite(email)).error.details).toMatchObject({ limit: 3, emails: [email] });
    expect((await call('sharePresentationViaEmail', { emails: [email] })).error.details).toMatchObject({ limit: 3 });
    expect(await world.mails(email)).toHaveLength(3);
  });

  test('are at most twenty invitations a day of one address, however many senders race, mailed or not', async () => {
    const dev = await world.anOwner();
    const senders = await Promise.all(Array.from({ length: 5 }, () => world.anOwner()));
    const decks = await Promise.all(
      senders.flatMap((sender) => Array.from({ length: 6 }, async () => ({ sender, deck: await world.aDeck(sender) }))),
    );
    const answers = await Promise.all(
      decks.map(({ sender, deck: { presentationId } }) =>
        world.call('inviteCollaborator', { presentationId, email: dev.email }, { key: sender.key }),
      ),
    );
    const refused = answers.flatMap((answer, i) => (answer.status === 200 ? [] : [{ answer, ...decks[i]! }]));
    expect(refused).toHaveLength(10);
    for (const {
      answer,
      sender,
      deck: { presentationId },
    } of refused) {
      expect([answer.status, answer.error.details]).toMatchObject([429, { limit: 20, emails: [dev.email] }]);
      const listed = await succeed(world.call('listCollaborators', { presentationId }, { key: sender.key }));
      expect(listed).toEqual({ collaborators: [] });
    }
    passSeconds(86_400);
    const [{ sender, deck: again }] = refused as [(typeof refused)[number]];
    const { presentationId } = again;
    const input = { presentationId, email: dev.email };
    expect((await world.call('inviteCollaborator', input, { key: sender.key })).status).toBe(200);
  });

  test('end at a hundred and fifty calls an hour, so that a caller cannot probe more addresses for accounts', async () => {
    const sends = Array.from({ length: 148 }, () => ({ sendId: randomUUID(), at: new Date(), recipients: [] }));
    await world.database.doc(`mailWindows/${owner.organizationId}`).set({ sends, expiresAt: new Date() });
    const [one, two, three] = [await world.anOwner(), await world.anOwner(), await world.anOwner()];
    for (const { email } of [one, two]) expect((await succeed(invite(email))).collaborator.status).toBe('active');
    for (const email of [three.email, anAddress()]) {
      const { error } = await invite(email);
      expect([error.code, error.details]).toMatchObject(['rate-limited', { limit: 150, windowSeconds: 3600 }]);
    }
    expect((await rows()).map(({ email }) => email)).toEqual([one.email, two.email]);
    // A repeated invitation is not limited, because its answer reveals nothing new.
    expect((await succeed(invite(one.email))).collaborator.status).toBe('active');
  });

  test('report an address that the provider refuses, and a rate limit of the provider as a rate limit', async () => {
    const email = anAddress();
    for (const status of [400, 422]) {
      gateway.plan({ do: 'answer', status, name: 'validation_error' });
      const answer = await invite(email);
      expect([answer.status, answer.error.code]).toEqual([400, 'EMAIL_INVALID']);
    }
    gateway.plan(...failing(429, 'rate_limit_exceeded'));
    const full = await invite(email);
    expect([full.status, full.error.code, full.headers.get('retry-after')]).toEqual([429, 'rate-limited', '60']);
    // This error is about the service's key at the provider, not about the address.
    gateway.plan({ do: 'answer', status: 403, name: 'invalid_api_key' });
    expect((await invite(email)).status).toBe(500);
    expect(await rows()).toMatchObject([{ email, status: 'revoked' }]);
  });

  test('show the command with the address when a shell reads it as one plain word, and without it otherwise', async () => {
    const plain = `a.b+c_d-${randomUUID()}@example.org`;
    const shell = `a$(x)|b&c'{d}-${randomUUID()}@example.org`.replaceAll(/[()]/g, '`');
    for (const email of [plain, shell]) await succeed(invite(email));
    const { baseUrl, hostingUrl } = world.cloud;
    expect((await world.mails(plain))[0]!.text).toContain(
      `\nnpm install --global ${hostingUrl}/deckhost.tgz\ndeck signup --email ${plain} --base-url ${baseUrl}\n`,
    );
    const [mail] = await world.mails(shell);
    expect(mail!.text).toContain(`\ndeck signup --base-url ${baseUrl}\n`);
    expect(mail!.text + mail!.html).not.toContain('--email');
  });

  test('do not use up the rate limit when the provider fails, and leave no open invitation', async () => {
    const email = anAddress();
    for (let i = 0; i < 4; i++) {
      gateway.plan(...failing(500, 'internal_server_error'));
      expect((await invite(email)).status).toBe(500);
      expect(await rows()).toMatchObject([{ email, status: 'revoked' }]);
    }
    expect((await succeed(invite(email))).collaborator).toMatchObject({ status: 'pending', revokedAt: null });
    expect(await world.mails(email)).toHaveLength(1);
  });

  test.each([429, 503])('are sent once when the provider answers %d to the first attempts', async (status) => {
    const email = anAddress();
    gateway.plan(...failing(status, 'unavailable').slice(1), { do: 'pass' });
    expect((await succeed(invite(email))).collaborator.status).toBe('pending');
    expect(new Set(gateway.calls.slice(-3).map(({ key }) => key)).size).toBe(1);
    expect(await world.mails(email)).toHaveLength(1);
  });

  test('fail when the provider does not answer, and leave no open invitation', async () => {
    const email = anAddress();
    process.env['MAIL_PATIENCE_SECONDS'] = '1';
    gateway.plan({ do: 'hang', reached: false });
    expect((await invite(email)).status).toBe(500);
    expect(await rows()).toMatchObject([{ email, status: 'revoked' }]);
  });

  test('are not sent twice when the provider accepted the mail and its answer was lost', async () => {
    const email = anAddress();
    const inviteWithLostAnswer = async () => {
      process.env['MAIL_PATIENCE_SECONDS'] = '1';
      gateway.plan({ do: 'hang', reached: true });
      expect((await invite(email)).status).toBe(500);
      delete process.env['MAIL_PATIENCE_SECONDS'];
      expect((await succeed(invite(email))).collaborator.status).toBe('pending');
    };
    await inviteWithLostAnswer();
    expect(await world.mails(email)).toHaveLength(1);
    // An invitation after an invitation that was revoked has a mail of its own.
    await succeed(uninvite({ email }));
    await inviteWithLostAnswer();
    expect(await world.mails(email)).toHaveLength(2);
  });

  test('are sent by a repeated call when the first call was interrupted, and only then', async () => {
    const email = anAddress();
    gateway.plan({ do: 'hang', reached: false });
    const first = invite(email);
    await gateway.hanging();
    // The hanging call does not continue before the test ends it, like the call of a stopped instance.
    const { collaborator } = await succeed(invite(email));
    expect(await world.mails(email)).toEqual([]);
    passSeconds(60);
    const again = await succeed(invite(email));
    expect(again.collaborator).toMatchObject({ collaboratorId: collaborator.collaboratorId, status: 'pending' });
    expect(await world.mails(email)).toHaveLength(1);
    passSeconds(60);
    expect(await succeed(invite(email))).toEqual(again);
    expect(await world.mails(email)).toHaveLength(1);
    // The first call now fails, also when it tries again. It withdraws only its own invitation.
    gateway.plan(...failing(500, 'internal_server_error'));
    gateway.cut();
    expect((await first).status).toBe(500);
    expect(await rows()).toMatchObject([again.collaborator]);
    expect((await stored().get()).get('pendingInvitations')).toBe(1);
    expect((await push((await signUp(email)).key)).status).toBe(200);
  });

  test('are sent for an expired deck, and not for a deck that was taken down', async () => {
    await stored().update({ expiresAt: new Date(Date.now() - 1) });
    const [email, other] = [anAddress(), anAddress()];
    const invited = await succeed(invite(email));
    await stored().update({ takedown: { at: new Date(), reason: 'x' } });
    expect((await invite(other)).error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('taken down'),
    });
    expect((await invite((await world.anOwner()).email)).status).toBe(409);
    expect(await succeed(invite(email))).toEqual(invited);
    expect(await world.mails(other)).toEqual([]);
    expect((await succeed(uninvite({ email }))).collaborator.status).toBe('revoked');
  });
});

test('the list has all rows except for old revoked rows, which it does not read', async () => {
  const [kept, dev] = [anAddress(), await world.anOwner()];
  await succeed(invite(kept));
  await succeed(invite(dev.email));
  const revoked = (await rowOf(kept).get()).data()!;
  const writer = world.database.bulkWriter({ throttling: false });
  for (let i = 0; i < 600; i++) {
    const email = `old-${i}@example.org`;
    const times = { invitedAt: new Date(Date.now() + 1000), revokedAt: new Date(i * 1000) };
    void writer.set(rowOf(email), { ...revoked, ...times, collaboratorId: email, email, status: 'revoked' });
  }
  await writer.close();
  const cost = await world.costOf(async () => {
    const listed = await rows();
    expect(listed.slice(0, 2)).toMatchObject([
      { email: kept, status: 'pending' },
      { email: dev.email, status: 'active' },
    ]);
    expect(listed).toHaveLength(502);
    expect(listed.map(({ email }) => email)).not.toContain('old-99@example.org');
    expect(listed.map(({ email }) => email)).toContain('old-100@example.org');
  });
  expect(cost.roundTrips).toBeLessThanOrEqual(2 + 3);
  expect(cost.documentReads).toBeLessThanOrEqual(510);
});

describe('an address with very many invitations', () => {
  const email = anAddress();
  const inviteTo = async (count: number): Promise<string[]> => {
    await succeed(invite(email));
    const [template, row] = [(await stored().get()).data()!, (await rowOf(email).get()).data()!];
    const ids = Array.from({ length: count }, () => randomUUID());
    const batch = world.database.batch();
    for (const [i, presentationId] of ids.entries()) {
      batch.set(world.database.doc(`presentations/${presentationId}`), { ...template, presentationId });
      const invitedAt = new Date(row['invitedAt'].toMillis() - 1000 * (i + 1));
      const path = `presentations/${presentationId}/collaborators/${sha256(email)}`;
      batch.set(world.database.doc(path), { ...row, presentationId, invitedAt, toldOf: invitedAt });
    }
    await batch.commit();
    return ids;
  };
  const pending = async () =>
    (await world.database.collectionGroup('collaborators').get()).docs
      .map((each) => each.data())
      .filter((row) => row['email'] === email && row['status'] === 'pending')
      .map((row) => row['presentationId'] as string);

  test('accepts the newest at the next login and the others later; a broken or locked deck does not stop it', async () => {
    const ids = await inviteTo(59);
    // This deck's record is invalid, and a transaction locks the other deck during the whole login.
    await world.database.doc(`presentations/${ids[0]}`).update({ title: 7 });
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let hold = () => {};
    const held = new Promise<void>((resolve) => (hold = resolve));
    const busy = world.database.runTransaction(async (tx) => {
      await tx.get(world.database.doc(`presentations/${ids[1]}`));
      hold();
      await released;
    });
    await held;
    const dev = await signUp(email);
    release();
    await busy;
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
