import { randomUUID } from 'node:crypto';
import { passSeconds } from '../../support/clock';
import { dataOf, eventsOf } from '../../support/events';
import { invite, rows, uninvite } from '../../support/invitations';
import { failing } from '../../support/mail-gateway';
import { call, deck, gateway, list, owner, sends, share, someone, startMailing, stored } from '../../support/mailing';
import { signedByResend } from '../../support/signed-mail-event';
import { succeed, world } from '../../support/world';

/** What Resend tells of the mails, as the local Resend tells it and as others might. */

startMailing('pro', 'Plans');
// What the mails of earlier tests still have to tell.
beforeEach(() => told());

const DAY_SECONDS = 86_400;
const secret = () => process.env['RESEND_WEBHOOK_SECRET']!;
function told() {
  return world.cloud.mailEvents.runDue();
}
const stateOf = async (email: string) =>
  (await sends()).filter((each) => each['email'] === email).map(({ delivery }) => delivery);
const aBounce = () => `bounce@${randomUUID()}.example.org`;
const aComplaint = () => `complaint@${randomUUID()}.example.org`;
const codeOf = async (email: string, { key, presentationId } = { ...owner, ...deck }) => {
  const { failed } = await succeed(share([email], { presentationId }, {}, key));
  return failed[0]?.code ?? 'sent';
};
const aSender = async () => {
  const account = await world.anOwner('pro');
  return { ...account, ...(await world.aDeck(account)) };
};

interface Told {
  type?: string;
  messageId?: string;
  to?: string;
  id?: string;
  at?: Date;
  signedAt?: Date;
  with?: string;
  tags?: Record<string, string>;
  more?: object;
}

/** A call as Resend makes it. */
function tell({ type = 'email.delivered', messageId = randomUUID(), to = someone(), tags = {}, ...of }: Told) {
  const { id = `msg_${randomUUID()}`, at = new Date(), signedAt = new Date() } = of;
  const data = { email_id: messageId, from: 'decks@example.org', to: [to], subject: 'x', tags, ...of.more };
  const body = JSON.stringify({ type, created_at: at.toISOString(), data });
  return send(body, signedByResend(body, { id, at: signedAt, secret: of.with ?? secret() }));
}

async function send(body: string, headers: Record<string, string>): Promise<number> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
  return (await fetch(`${world.cloud.baseUrl}/receiveMailEvents`, init)).status;
}

/** The tags of the mail that was sent last. */
const lastTags = (): Record<string, string> => {
  const { tags } = gateway.calls.at(-1)!.mails[0] as { tags: { name: string; value: string }[] };
  return Object.fromEntries(tags.map(({ name, value }) => [name, value]));
};

describe('what became of a mail', () => {
  test.each([
    ['delivered', 'delivered', someone(), null],
    ['bounced', 'bounced', aBounce(), "The recipient's mail server refused the mail: the mailbox does not exist."],
    ['complained', 'complained', aComplaint(), null],
    [
      'suppressed',
      'failed',
      'suppressed@resend.dev',
      'The address is on the suppression list, because it refused a mail before.',
    ],
  ] as const)('is in the list of sent mails and an event: %s', async (_name, state, email, reason) => {
    await succeed(share([email]));
    expect(await stateOf(email)).toEqual([null]);
    const events = await eventsOf(owner, told);
    const delivery = { state, at: expect.any(String) as string, reason };
    expect(await stateOf(email)).toEqual([delivery]);
    const [newest] = events.slice(-1);
    expect(newest).toMatchObject({ type: `email.${state}`, actor: { kind: 'system' } });
    expect(dataOf(events, `email.${state}`)).toMatchObject({
      title: 'Plans',
      send: { email, outcome: 'sent', delivery },
    });
  });

  test('is told once, however often and in whatever order it arrives', async () => {
    const email = someone();
    const { sent } = await succeed(share([email]));
    const of = { messageId: sent[0]!.resendMessageId, to: email, tags: lastTags() };
    const now = Date.now();
    const delivered = { ...of, id: `msg_${randomUUID()}`, at: new Date(now - 1000) };
    const delayed = { ...of, type: 'email.delivery_delayed', at: new Date(now - 2000) };
    const events = await eventsOf(owner, async () => {
      const answers = [
        await tell(delivered),
        ...(await Promise.all([tell(delivered), tell(delivered)])),
        await tell(delayed),
      ];
      expect(answers).toEqual([204, 204, 204, 204]);
    });
    expect(events.map(({ type }) => type)).toEqual(['email.delivered']);
    expect(await stateOf(email)).toMatchObject([{ state: 'delivered' }]);
  });

  test('before its record is written is told again later, and is ignored after an hour', async () => {
    await succeed(share([someone()]));
    const tags = lastTags();
    expect(await tell({ tags })).toBe(409);
    expect(await tell({ tags, at: new Date(Date.now() - 3_700_000) })).toBe(204);
    expect(await stored('emailEvents')).toEqual([]);
  });

  test('of a deleted deck, of another type and of a mail of another sender writes nothing', async () => {
    const email = someone();
    const { sent } = await succeed(share([email]));
    const of = { messageId: sent[0]!.resendMessageId, to: email, tags: lastTags() };
    expect(await tell({ ...of, type: 'email.opened' })).toBe(204);
    expect(await tell({ ...of, tags: {} })).toBe(204);
    expect(await tell({ ...of, tags: { ...of.tags, mail: 'A'.repeat(86) } })).toBe(204);
    await succeed(call('deletePresentation'));
    expect(await tell(of)).toBe(204);
    expect(await stored('emailEvents')).toEqual([]);
  });
});

describe('a call of receiveMailEvents', () => {
  test.each([
    ['with another secret', { with: `whsec_${Buffer.from('another secret').toString('base64')}` }, 401],
    ['that was signed 6 minutes ago', { signedAt: new Date(Date.now() - 360_000) }, 401],
    ['that was signed 4 minutes ago', { signedAt: new Date(Date.now() - 240_000) }, 204],
  ] as const)('%s', async (_name, how, status) => expect(await tell(how)).toBe(status));

  test('without a signature, or with that of another body, is refused', async () => {
    expect(await send('{}', {})).toBe(401);
    const headers = signedByResend('{"a":1}');
    expect([await send('{"a":1}', headers), await send('{"a":2}', headers)]).toEqual([204, 401]);
  });

  test('is taken with each secret while the secret is changed, and with none when there is none', async () => {
    const old = secret();
    const added = `whsec_${Buffer.from(randomUUID()).toString('base64')}`;
    try {
      process.env['RESEND_WEBHOOK_SECRET'] = `${added}\n${old}`;
      expect([await tell({ with: added }), await tell({ with: old })]).toEqual([204, 204]);
      process.env['RESEND_WEBHOOK_SECRET'] = 'none';
      expect(await tell({ with: old })).toBe(401);
    } finally {
      process.env['RESEND_WEBHOOK_SECRET'] = old;
    }
  });
});

describe('an address that refused a mail', () => {
  test('gets no mails for 30 days, then one more, and codes always', async () => {
    const email = aBounce();
    await succeed(share([email]));
    await told();
    const other = await aSender();
    expect([await codeOf(email), await codeOf(email, other)]).toEqual(['recipient-suppressed', 'recipient-suppressed']);
    await succeed(call('inviteCollaborator', { email }));
    expect(await world.mails(email)).toHaveLength(1);
    await succeed(world.call('cliRequestSignupOtp', { email }));
    expect(await world.mails(email)).toHaveLength(2);
    passSeconds(30 * DAY_SECONDS + 1);
    expect(await codeOf(email)).toBe('sent');
    await told();
    expect(await codeOf(email)).toBe('recipient-suppressed');
  });

  test('gets mails again when one of its codes is used, and a bounce from before stops nothing', async () => {
    const email = aBounce();
    await succeed(share([email]));
    await told();
    const bounce = {
      type: 'email.bounced',
      to: email,
      at: new Date(),
      more: { bounce: { message: 'x', type: 'Permanent' } },
    };
    await succeed(world.call('cliRequestSignupOtp', { email }));
    passSeconds(60);
    const code = await world.mailedCode(email);
    await succeed(world.call('cliCompleteSignup', { email, code, user: { firstName: 'Bo' } }));
    expect(await tell(bounce)).toBe(204);
    expect(await codeOf(email)).toBe('sent');
  });

  test('for a while only is mailed again', async () => {
    const email = someone();
    const { sent } = await succeed(share([email]));
    const more = { bounce: { message: `${email} is over quota`, type: 'Transient' } };
    const of = { messageId: sent[0]!.resendMessageId, to: email, tags: lastTags() };
    expect(await tell({ ...of, type: 'email.bounced', more })).toBe(204);
    expect(await stateOf(email)).toMatchObject([{ state: 'bounced', reason: 'the address is over quota' }]);
    expect(await codeOf(email)).toBe('sent');
  });

  test('is told to the sender once, also when the first mail about it failed', async () => {
    const email = aBounce();
    await succeed(share([email]));
    gateway.plan(...failing(500, 'internal_server_error'));
    await told();
    expect(await world.mails(owner.email)).toEqual([]);
    await told();
    await told();
    const mails = await world.mails(owner.email);
    expect(mails.map(({ subject }) => subject)).toEqual([`Your email to ${email} did not arrive`]);
    expect(mails[0]!.text).toContain(`/dashboard/decks/${deck.presentationId}/mails`);
  });
});

test('an invitation that bounced says so in the list of collaborators, and its sender is told once', async () => {
  const email = aBounce();
  await succeed(invite(email));
  const invited = async () => (await rows()).find((row) => row.email === email);
  expect(await invited()).toMatchObject({ status: 'pending', delivery: null });
  const bounce = { type: 'email.bounced', to: email, tags: lastTags(), more: { bounce: { message: 'x', type: 'x' } } };
  // Of the invitation before this one.
  expect(await tell({ ...bounce, at: new Date(Date.now() - 60_000) })).toBe(204);
  expect(await invited()).toMatchObject({ delivery: null });
  await told();
  expect(await tell({ ...bounce, at: new Date(Date.now() + 1000) })).toBe(204);
  expect(await invited()).toMatchObject({ delivery: { state: 'bounced' } });
  const mails = await world.mails(owner.email);
  expect(mails.map(({ subject }) => subject)).toEqual([`Your email to ${email} did not arrive`]);
  expect(mails[0]!.text).toContain(`/dashboard/decks/${deck.presentationId}/people`);
  await succeed(uninvite({ email }));
  expect(await tell({ ...bounce, type: 'email.complained', at: new Date(Date.now() + 2000) })).toBe(204);
  expect(await invited()).toMatchObject({ status: 'revoked', delivery: { state: 'bounced' } });
});

describe('an owner of an address who complains', () => {
  test('gets no more mails of that organization, and after three organizations none but codes', async () => {
    const email = aComplaint();
    const others = [await aSender(), await aSender(), await aSender()];
    expect(await codeOf(email)).toBe('sent');
    await told();
    expect([await codeOf(email), await codeOf(email, others[0])]).toEqual(['recipient-suppressed', 'sent']);
    expect(await codeOf(email, others[1])).toBe('sent');
    await told();
    expect(await codeOf(email, others[2])).toBe('recipient-suppressed');
    await succeed(world.call('cliRequestSignupOtp', { email }));
    passSeconds(60);
    const code = await world.mailedCode(email);
    await succeed(world.call('cliCompleteSignup', { email, code, user: { firstName: 'Bo' } }));
    expect([await codeOf(email, others[2]), await codeOf(email)]).toEqual(['sent', 'recipient-suppressed']);
  });
});

test('a page of the list of mails has the states of its mails', async () => {
  await succeed(share([someone(), aBounce(), 'no address']));
  await told();
  const states = (await succeed(list())).sends.map(({ delivery }) => (delivery as { state: string } | null)?.state);
  expect(states.sort()).toEqual(['bounced', 'delivered', undefined]);
});
