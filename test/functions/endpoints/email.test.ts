import { randomUUID } from 'node:crypto';
import { atOnce, outcomes, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { invite, push, recordOf, rows, signUp, uninvite } from '../../support/invitations';
import { failing } from '../../support/mail-gateway';
import {
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
  storeMails,
  madeLinks,
  refused,
  startMailing,
} from '../../support/mailing';
import { words } from '../../support/words';
import { page, succeed, world } from '../../support/world';

/** The mails that share a deck, and the mails that invite to it. */

startMailing('pro', 'Plans');

describe('sharing by mail', () => {
  test('gives every address its own link, which is named by the address, opens and counts views', async () => {
    const [one, two] = [someone(), someone()];
    const data = await succeed(share([` ${one.toUpperCase()} `, two, one], { message: 'Look at <this>\nplease' }));
    expect(data).toMatchObject({ failed: [], summary: { total: 2, sent: 2, failed: 0 } });
    expect(data.sent.map(({ email }) => email)).toEqual([one, two]);
    expect(new Set(data.sent.map(({ tokenId }) => tokenId)).size).toBe(2);
    for (const { email, shareUrl } of each(data.sent)) {
      const [mail, ...more] = await world.mails(email);
      expect(more).toEqual([]);
      expect(mail).toMatchObject({ to: [email], subject: `${owner.email} shared: Plans` });
      for (const part of [shareUrl, 'Look at <this>\nplease']) expect(mail!.text).toContain(part);
      for (const part of [shareUrl, 'Look at &lt;this><br/>please', `Ada (${owner.email}) of Ada&#39;s workspace`]) {
        expect(mail!.html.replaceAll("Ada's", 'Ada&#39;s')).toContain(part);
      }
      expect(await look(tokenIn(shareUrl))).toBe(200);
    }
    expect(gateway.calls).toHaveLength(1);
    const sender = { from: 'Ada via Deckhost <decks@localhost.localdomain>', reply_to: owner.email };
    expect(gateway.calls[0]!.mails[0]).toMatchObject(sender);
    const links = (await info()).tokens.map(({ name, revoked, accessCount }) => `${name} ${revoked} ${accessCount}`);
    expect(links.sort()).toEqual(['default false 0', `${one} false 1`, `${two} false 1`].sort());
    passSeconds(10 * 86_400);
    expect(await look(tokenIn(data.sent[0]!.shareUrl))).toBe(200);
  });

  test('sends an existing link to all addresses when the call names it, unless it was revoked', async () => {
    const { tokenId, shareUrl } = deck;
    const { sent } = await succeed(share([someone(), someone()], { tokenId, subject: ' Mine ' }));
    expect(sent).toMatchObject(Array(2).fill({ tokenId, shareUrl }));
    expect((await world.mails(sent[0]!.email))[0]!.subject).toBe('Mine');
    expect(await stored()).toHaveLength(1);
    await succeed(unshare({ tokenId }));
    expect((await share([someone()], { tokenId })).error.code).toBe('invalid-argument');
    expect(gateway.calls).toHaveLength(1);
  });

  test('refuses wrong inputs, with what to do next, and mails nothing', async () => {
    for (const [code, ...inputs] of [
      ['missing-recipients', {}, { emails: null }, { emails: [] }],
      ['too-many-recipients', { emails: many(21) }],
      ['message-too-long', { emails: many(1), message: 'x'.repeat(2001) }],
      ['invalid-argument', { emails: 'a@example.org' }, { emails: [7] }, { emails: many(1), subject: 'x'.repeat(201) }],
      ['invalid-argument', ...['x'.repeat(22), 'a/b', '../../..'].map((tokenId) => ({ emails: many(1), tokenId }))],
    ] as [string, ...object[]][]) {
      for (const input of each(inputs)) {
        const { status, error } = await share(undefined, input);
        expect([input, status, error.code, Boolean(error.nextAction)]).toEqual([input, 400, code, true]);
      }
    }
    expect(gateway.calls).toEqual([]);
  });

  test('is allowed to an admin key, and the mail names no sender', async () => {
    const key = await world.anAdmin();
    const { sent } = await succeed(share([someone()], {}, {}, key));
    expect(gateway.calls[0]!.mails[0]).toMatchObject({ subject: 'Shared with you: Plans' });
    expect(gateway.calls[0]!.mails[0]).not.toHaveProperty('reply_to');
    expect(await look(tokenIn(sent[0]!.shareUrl))).toBe(200);
    const [{ sentBy, keyId }] = (await sends()) as [Record<string, string>];
    expect([sentBy, keyId]).toEqual([keyId, expect.not.stringContaining(owner.keyId)]);
  });

  test('takes twenty addresses in many spellings and 2000 characters, with as many round trips as for one', async () => {
    const twenty = many(20);
    const spelled = [...twenty, ...twenty.map((email) => ` ${email.toUpperCase()}`)];
    for (const emails of [many(1), spelled]) {
      const total = new Set(emails.map((email) => email.trim().toLowerCase())).size;
      const cost = await world.costOf(async () => {
        const { summary } = await succeed(share(emails, { message: 'é'.repeat(2000) }));
        expect(summary).toEqual({ total, sent: total, failed: 0 });
      });
      expect(cost.roundTrips).toBeLessThanOrEqual(4 + 2);
    }
    expect(gateway.calls).toHaveLength(2);
  });
});

test('the text of a user becomes neither a header nor HTML', async () => {
  const markup = '<script>alert(1)</script>"\'><img src=x>';
  for (const text of ['Plans\r\nBcc: eve@example.org', markup, 'a\u2028b\u0000c\u202ed', '\ud83d\ude00 \ufffd']) {
    const { presentationId } = await world.aDeck(owner, [page('one')]);
    // The calls refuse some of these texts. A mail does not depend on that.
    await world.database.doc(`presentations/${presentationId}`).update({ title: text });
    await world.database.doc(`organizations/${owner.organizationId}`).update({ name: `${text} <eve@example.org>` });
    await world.database.doc(`users/${owner.userId}`).update({ firstName: `${text} <eve@example.org>` });
    await succeed(share([someone()], { presentationId, message: markup }));
    await succeed(share([someone()], { presentationId, message: markup, subject: markup }));
  }
  for (const { mails } of each(gateway.calls)) {
    const { subject, from, html } = mails[0] as { subject: string; from: string; html: string };
    expect(subject).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
    expect(from).toMatch(/^[^<>@\p{Cc}]* via Deckhost <decks@localhost\.localdomain>$/u);
    expect(html).not.toMatch(/<script|<img/);
  }
});

describe('an address that cannot be mailed', () => {
  test('fails alone, and its link is revoked', async () => {
    // The second address passes the service's check and the provider refuses it.
    const [good, rejected] = [someone(), 'someone@example.o'];
    const data = await succeed(share(['nobody', rejected, '', good, 'a@b\r\nBcc: c@d.org']));
    expect(data).toMatchObject({ sent: [{ email: good }], summary: { total: 5, sent: 1, failed: 4 } });
    const failures = data.failed.map(({ email, code }) => [email, code, 'failed']);
    const codes = words('invalid-email provider-rejected invalid-email invalid-email');
    const invalid = ['nobody', rejected, '', 'a@b\r\nbcc: c@d.org'];
    expect(failures).toEqual(invalid.map((email, i) => [email, codes[i], 'failed']));
    const isRevoked = new Map((await info()).tokens.map(({ name, revoked }) => [name, revoked]));
    expect([isRevoked.get(rejected), isRevoked.get(good), isRevoked.size]).toEqual([true, false, 3]);
    const listed = (await sends()).map(({ email, outcome, code }) => [email, code, outcome]).reverse();
    expect(listed).toEqual(failures.toSpliced(3, 0, [good, null, 'sent'] as string[]));
  });

  test('has a short record, however long it is', async () => {
    const { failed } = await succeed(share([`${'x'.repeat(20_000)}@example.org`, '😀'.repeat(10_000)]));
    const listed = (await sends()).map(({ email }) => email!).reverse();
    expect(listed).toEqual(failed.map(({ email }) => email));
    expect(Math.max(...listed.map(({ length }) => length))).toBeLessThanOrEqual(300);
  });

  test.each([
    [429, 'rate_limit_exceeded', 'provider-rate-limited', 3],
    [429, 'daily_quota_exceeded', 'provider-rate-limited', 1],
    [403, 'validation_error', 'provider-rejected', 1],
    [500, 'internal_server_error', 'provider-unavailable', 3],
  ])('when the provider answers %d %s: %s, no link, and a record', async (status, name, code, tries) => {
    gateway.plan(...Array.from({ length: tries }, () => ({ do: 'answer' as const, status, name })));
    const data = await succeed(share([someone(), someone()]));
    expect(data.failed.map((failure) => failure.code)).toEqual([code, code]);
    expect(gateway.calls).toHaveLength(tries);
    expect(await Promise.all((await madeLinks()).map(look))).toEqual([403, 403]);
    expect(await sends()).toMatchObject(Array(2).fill({ outcome: 'failed', code, resendMessageId: null }));
  });
});

test('the list of sends has every send, newest first, in pages', async () => {
  const emails = many(6);
  for (const at of [0, 2, 4]) await succeed(share(emails.slice(at, at + 2), { subject: `No. ${at}` }));
  const first = await succeed(list({ limit: '4' }));
  const second = await succeed(list({ limit: '4', cursor: first.nextCursor! }));
  expect([first.sends.length, second.nextCursor]).toEqual([4, null]);
  expect([...first.sends, ...second.sends].map(({ email }) => email)).toEqual(emails.toReversed());
  const text = expect.any(String) as string;
  const ids = { sendId: text, tokenId: text, resendMessageId: text, sentBy: text, requestId: text, sentAt: text };
  const of = { presentationId: deck.presentationId, keyId: owner.keyId, email: emails[5], subject: 'No. 4' };
  expect(first.sends[0]).toEqual({ ...ids, ...of, outcome: 'sent', code: null, delivery: null, opening: null });
  for (const limit of ['0', '101', 'x']) expect((await list({ limit })).status).toBe(400);
  expect((await list({ cursor: 'nonsense' })).status).toBe(400);
});

describe('the mails of invitations', () => {
  const inviteAndTakeBack = async (email: string) => {
    await succeed(invite(email));
    await succeed(uninvite({ email }));
  };

  test('that the provider did not take give back their own room, and not that of the mails before', async () => {
    const email = someone();
    await inviteAndTakeBack(email);
    gateway.plan(...failing(500, 'internal_server_error'));
    expect((await invite(email)).status).toBe(500);
    await inviteAndTakeBack(email);
    await inviteAndTakeBack(email);
    expect(await refused(invite(email))).toMatchObject({ limit: 3, emails: [email] });
  });

  test('count to what the organization may mail, together with shares by mail', async () => {
    const createdAt = new Date(Date.now() - 7 * 86_400_000);
    await world.database.doc(`organizations/${owner.organizationId}`).update({ plan: 'free', createdAt });
    await storeMails(40);
    await succeed(share(many(7)));
    expect(outcomes(await atOnce(3, () => invite(someone())))).toEqual({ ok: 3 });
    await succeed(uninvite({ collaboratorId: (await rows())[0]!.collaboratorId }));
    expect(await refused(invite(someone()))).toMatchObject({ limit: 50, windowSeconds: 86_400 });
    // An address with an account gets no mail.
    expect((await invite((await world.anOwner()).email)).status).toBe(200);
  });

  test('count as mails about their deck, together with shares by mail; another deck may be mailed', async () => {
    const email = someone();
    for (let i = 0; i < 2; i++) await succeed(share([email]));
    await inviteAndTakeBack(email);
    const rate = { limit: 3, windowSeconds: 86_400, emails: [email] };
    expect(await refused(invite(email))).toMatchObject(rate);
    expect(await refused(share([email, someone()]))).toMatchObject(rate);
    expect(await world.mails(email)).toHaveLength(3);
    const { presentationId } = await world.aDeck(owner);
    expect((await share([email], { presentationId })).status).toBe(200);
  });

  test('are at most twenty invitations a day of one address, however many senders race, mailed or not', async () => {
    const { email } = await world.anOwner();
    const senders = await atOnce(3, () => world.anOwner());
    const decks = await atOnce(9, async (i) => ({ ...senders[i % 3]!, ...(await world.aDeck(senders[i % 3]!)) }));
    const inviteTo = ({ presentationId, key }: (typeof decks)[0]) =>
      world.call('inviteCollaborator', { presentationId, email }, { key });
    const [first, ...others] = decks as [(typeof decks)[0], ...typeof decks];
    await succeed(inviteTo(first));
    const { docs } = await world.database.collection('mailRecipients').get();
    const invitationsOf = (record: (typeof docs)[0]) => record.get('invitations') as { organizationId: string }[];
    const record = docs.find((one) => invitationsOf(one)[0]?.organizationId === first.organizationId)!;
    await record.ref.update({ invitations: Array(16).fill(invitationsOf(record)[0]) });
    const answers = await Promise.all(others.map(inviteTo));
    const late = others.filter((_, i) => answers[i]!.status !== 200);
    expect(late).toHaveLength(4);
    for (const one of each(late)) {
      expect(await refused(inviteTo(one))).toMatchObject({ limit: 20, emails: [email] });
      const { data } = await world.call('listCollaborators', { presentationId: one.presentationId }, { key: one.key });
      expect(data).toEqual({ collaborators: [] });
    }
    passSeconds(86_400);
    expect((await inviteTo(late[0]!)).status).toBe(200);
  });

  test('end at a hundred and fifty calls an hour, so that a caller cannot probe more addresses for accounts', async () => {
    const sends = Array.from({ length: 148 }, () => ({ sendId: randomUUID(), at: new Date(), recipients: [] }));
    await world.database.doc(`mailWindows/${owner.organizationId}`).set({ sends, expiresAt: new Date() });
    const [one, two, three] = [await world.anOwner(), await world.anOwner(), await world.anOwner()];
    for (const { email } of [one, two]) expect((await succeed(invite(email))).collaborator.status).toBe('active');
    for (const email of [three.email, someone()]) {
      expect(await refused(invite(email))).toMatchObject({ limit: 150, windowSeconds: 3600 });
    }
    expect((await rows()).map(({ email }) => email)).toEqual([one.email, two.email]);
    // A repeated invitation is not limited, because its answer reveals nothing new.
    expect((await succeed(invite(one.email))).collaborator.status).toBe('active');
  });

  test('report an address that the provider refuses, and a rate limit of the provider as a rate limit', async () => {
    const email = someone();
    for (const status of [400, 422]) {
      gateway.plan({ do: 'answer', status, name: 'validation_error' });
      expect(await refusal(invite(email))).toEqual([400, 'EMAIL_INVALID']);
    }
    gateway.plan(...failing(429, 'rate_limit_exceeded'));
    const full = await invite(email);
    expect([full.status, full.error.code, full.headers.get('retry-after')]).toEqual([429, 'rate-limited', '60']);
    // This error is about the service's key at the provider, not about the address.
    gateway.plan({ do: 'answer', status: 403, name: 'invalid_api_key' });
    expect((await invite(email)).status).toBe(500);
    expect(await rows()).toMatchObject([{ email, status: 'revoked' }]);
  });

  test('leave no open invitation when the provider does not answer, and are not sent twice when only its answer was lost', async () => {
    const email = someone();
    const inviteWithLostAnswer = async () => {
      process.env['MAIL_PATIENCE_SECONDS'] = '1';
      gateway.plan({ do: 'hang', reached: true });
      expect((await invite(email)).status).toBe(500);
      expect(await rows()).toMatchObject([{ email, status: 'revoked' }]);
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
    passSeconds(120);
    const again = await succeed(invite(email));
    expect(again.collaborator).toMatchObject({ collaboratorId: collaborator.collaboratorId, status: 'pending' });
    expect(await world.mails(email)).toHaveLength(1);
    passSeconds(120);
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
    const message = expect.stringContaining('taken down') as string;
    expect((await invite(other)).error).toMatchObject({ code: 'conflict', message });
    expect((await invite((await world.anOwner()).email)).status).toBe(409);
    expect(await succeed(invite(email))).toEqual(invited);
    expect(await world.mails(other)).toEqual([]);
    expect((await succeed(uninvite({ email }))).collaborator.status).toBe('revoked');
  });
});
