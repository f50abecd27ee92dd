import { randomUUID } from 'node:crypto';
import { passSeconds } from '../../support/clock';
import { invite, push, recordOf, rows, signUp, uninvite } from '../../support/invitations';
import { failing } from '../../support/mail-gateway';
import { world, gateway, owner, someone, call, startMailing } from '../../support/mailing';
import { succeed } from '../../support/world';

startMailing('free', 'Plans <b>&</b>\r\nBcc: eve@example.org');

describe('the mails of invitations', () => {
  test('are at most three a day to one address, however often it is invited again', async () => {
    const email = someone();
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
    const email = someone();
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
    const emails = Array.from({ length: 20 }, someone);
    const createdAt = new Date(Date.now() - 7 * 86_400_000);
    await world.database.doc(`organizations/${owner.organizationId}`).update({ createdAt });
    for (let i = 0; i < 2; i++) await succeed(call('sharePresentationViaEmail', { emails }));
    const invited = await Promise.all(Array.from({ length: 10 }, () => invite(someone())));
    expect(invited.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    const first = await rows();
    await succeed(uninvite({ collaboratorId: first[0]!.collaboratorId }));
    expect((await invite(someone())).error.details).toMatchObject({ limit: 50, windowSeconds: 86_400 });
    // An address with an account gets no mail.
    expect((await invite((await world.anOwner()).email)).status).toBe(200);
  });

  test('count as mails about their deck, together with shares by mail', async () => {
    const email = someone();
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
    for (const email of [three.email, someone()]) {
      const { error } = await invite(email);
      expect([error.code, error.details]).toMatchObject(['rate-limited', { limit: 150, windowSeconds: 3600 }]);
    }
    expect((await rows()).map(({ email }) => email)).toEqual([one.email, two.email]);
    // A repeated invitation is not limited, because its answer reveals nothing new.
    expect((await succeed(invite(one.email))).collaborator.status).toBe('active');
  });

  test('report an address that the provider refuses, and a rate limit of the provider as a rate limit', async () => {
    const email = someone();
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

  test('fail when the provider does not answer, and leave no open invitation', async () => {
    const email = someone();
    process.env['MAIL_PATIENCE_SECONDS'] = '1';
    gateway.plan({ do: 'hang', reached: false });
    expect((await invite(email)).status).toBe(500);
    expect(await rows()).toMatchObject([{ email, status: 'revoked' }]);
  });

  test('are not sent twice when the provider accepted the mail and its answer was lost', async () => {
    const email = someone();
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
    const email = someone();
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
    expect((await recordOf().get()).get('pendingInvitations')).toBe(1);
    expect((await push((await signUp(email)).key)).status).toBe(200);
  });

  test('are sent for an expired deck, and not for a deck that was taken down', async () => {
    await recordOf().update({ expiresAt: new Date(Date.now() - 1) });
    const [email, other] = [someone(), someone()];
    const invited = await succeed(invite(email));
    await recordOf().update({ takedown: { at: new Date(), reason: 'x' } });
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
